"""Shipping rules pages: the list with its dry run, and the editor of a rule."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.shipping.labels.operations.purchase import get_shipping_methods
from haulier.contexts.shipping.package_presets.operations import list_package_presets
from haulier.contexts.shipping.shipping_rules.operations import (
    create_shipping_rule,
    delete_shipping_rule,
    dry_run_shipping_rules,
    get_shipping_rule,
    list_shipping_rules,
    reorder_shipping_rules,
    update_shipping_rule,
)
from haulier.kernel.application import Application
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.acts import DeskAction
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.inputs import Presenter, leaves, read_typed
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.desk.uploads import read_act_form

RULES = "/desk/shipping-rules"
EDIT = f"{RULES}/edit"
PERIODS = (7, 30)
"""Days of the dry runs that the page offers."""
OWN_FIELDS = frozenset({"csrf", "step", "shipping_rule_id", "carrier", "lang"})
CONDITIONS: Sequence[Sequence[str]] = (
    ("countries", "postal_prefixes"),
    ("weight_from_g", "weight_to_g"),
    ("value_from_minor", "value_to_minor"),
    ("packages_from", "packages_to"),
    ("services", "skus"),
    ("customer_ids", "order_types"),
)
"""Conditions of the editor, in rows."""
SETTINGS = ("insurance", "insurance_from_minor", "signature_required", "label_format", "hold_reason")


class CarrierChoice(Struct, frozen=True):
    """An account and its services, as choices of the editor."""

    account: str
    options: dict[str, str]
    """Names by `account:service`."""


def module_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of the shipping rules pages."""
    shown_by = partial(make_endpoint, app)
    return [
        Route(RULES, shown_by(rules_page), methods=["GET"]),
        Route(RULES, shown_by(change_rules), methods=["POST"]),
        Route(EDIT, shown_by(edit_page), methods=["GET"]),
        Route(EDIT, shown_by(save_rule), methods=["POST"]),
    ]


async def rules_page(desk: DeskRequest, problem: str = "", status_code: int = 200) -> Response:
    """Show the rules as sentences, with the counts of a dry run if asked for."""
    if not desk.may(list_shipping_rules):
        return not_found(desk)
    listed = await desk.read(list_shipping_rules, {}) or {"rules": [], "version": 0}
    days = desk.texts.get("days", [""])[-1]
    tried = await desk.read(dry_run_shipping_rules, {"days": int(days)}) if days in map(str, PERIODS) else None
    return desk.page(
        "desk_shipping_rules.html",
        status_code=status_code,
        rules=listed["rules"],
        list_version=listed["version"],
        may_change=desk.may(update_shipping_rule),
        periods=PERIODS,
        days=int(days) if tried else None,
        tried=tried,
        counts={each["shipping_rule_id"]: each for each in (tried or {}).get("rules", ())},
        problem=problem,
        call=list_shipping_rules,
        values={},
    )


async def change_rules(desk: DeskRequest) -> Response:
    """Enable, disable or move a rule."""
    form = await read_act_form(desk.request, update_shipping_rule)
    own = {name: texts[-1] for name, texts in form.items()}
    if not desk.session.is_genuine_form(desk.request, own):
        return await rules_page(desk, desk.say("sign_in.again"), 403)
    id, step = own.get("shipping_rule_id", ""), own.get("step", "")
    if not id.isdecimal():
        return not_found(desk)
    if step in {"up", "down"}:
        result = await _move(desk, int(id), step, own.get("version", ""))
    else:
        asked = {"shipping_rule_id": int(id), "enabled": step == "enable"}
        result = await desk.call(update_shipping_rule, asked)
    if result is not None and result.error is not None:
        return await rules_page(desk, result.error["message"], result.status)
    return RedirectResponse(f"{RULES}?{urlencode({'at': id})}#rule-{id}", 303)


async def _move(desk: DeskRequest, id: int, step: str, version: str) -> OperationResult | None:
    """Move a rule by one place; None if it stands at the end."""
    listed = await desk.read(list_shipping_rules, {}) or {"rules": []}
    ids = [rule["id"] for rule in listed["rules"]]
    if id not in ids:
        return await desk.call(get_shipping_rule, {"shipping_rule_id": id})
    at = ids.index(id)
    to = at + (1 if step == "down" else -1)
    if not 0 <= to < len(ids):
        return None
    ids.insert(to, ids.pop(at))
    expected = {"expected_version": int(version)} if version.isdecimal() else {}
    return await desk.call(reorder_shipping_rules, {"rule_ids": ids, **expected})


async def edit_page(desk: DeskRequest) -> Response:
    """Show the editor, empty or with a rule."""
    rule = await _rule(desk, desk.texts.get("shipping_rule_id", [""])[-1])
    if rule is None or not desk.may(update_shipping_rule if rule else create_shipping_rule):
        return not_found(desk)
    values = {name: rule[name] for name in ("name", "conditions", "outcome")} if rule else {}
    return await _editor(desk, rule, {}, values)


async def save_rule(desk: DeskRequest) -> Response:
    """Save a rule, or count the orders that meet its conditions."""
    form = await read_act_form(desk.request, create_shipping_rule)
    own = {name: form.pop(name)[-1] for name in OWN_FIELDS if form.get(name)}
    rule = await _rule(desk, own.get("shipping_rule_id", ""))
    if rule is None:
        return not_found(desk)
    account, _, service = own.get("carrier", "").partition(":")
    form |= {"outcome.account_id": [account], "outcome.service": [service]}
    act = DeskAction(desk, create_shipping_rule, await read_typed(desk, form_of(create_shipping_rule.request), form))
    values = _with_kept(act.values, rule)
    if not desk.session.is_genuine_form(desk.request, own):
        return await _editor(desk, rule, form, values, problem=desk.say("sign_in.again"), status_code=403)
    if act.typed.faults:
        return await _editor(desk, rule, form, values, faults=act.typed.faults, status_code=422)
    if own.get("step") == "count":
        asked = {"days": PERIODS[-1], "conditions": values["conditions"]}
        result = await desk.call(dry_run_shipping_rules, asked)
        counted = plain_answer(result)["text"] if result.error is None else ""
        return await _editor(desk, rule, form, values, result=result, counted=counted, status_code=result.status)
    operation = update_shipping_rule if rule else create_shipping_rule
    result = await desk.call(operation, {**values, **({"shipping_rule_id": rule["id"]} if rule else {})})
    if result.error is not None:
        return await _editor(desk, rule, form, values, result=result, status_code=result.status)
    id = plain_answer(result)["rule"]["id"]
    return RedirectResponse(f"{RULES}?{urlencode({'at': id})}#rule-{id}", 303)


async def _rule(desk: DeskRequest, id: str) -> dict[str, Any] | None:
    """Return a rule, nothing for a new one, or None if it does not exist."""
    if not id:
        return {}
    answer = await desk.read(get_shipping_rule, {"shipping_rule_id": int(id)}) if id.isdecimal() else None
    return answer and answer["rule"]


def _with_kept(values: Mapping[str, Any], rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return typed values with the parts of a rule that the editor does not show."""
    old = rule.get("conditions") or {}
    kept = {"custom_fields": old["custom_fields"]} if old.get("custom_fields") else {}
    if old.get("value_currency"):
        kept["value_currency"] = old["value_currency"]
    outcome = dict(values.get("outcome") or {})
    insured_in = (rule.get("outcome") or {}).get("insurance_currency")
    if insured_in and "insurance_from_minor" in outcome:
        outcome["insurance_currency"] = insured_in
    return {**values, "conditions": {**(values.get("conditions") or {}), **kept}, "outcome": outcome}


async def _editor(
    desk: DeskRequest,
    rule: Mapping[str, Any],
    texts: Mapping[str, list[str]],
    values: Mapping[str, Any],
    *,
    result: OperationResult | None = None,
    faults: Mapping[str, str] | None = None,
    counted: str = "",
    problem: str = "",
    status_code: int = 200,
) -> Response:
    form = form_of(create_shipping_rule.request)
    presenter = Presenter(desk, await read_typed(desk, form, texts))
    shown = await presenter.present(
        form.fields(_with_currencies(values, desk.session.currency), desk.session.time_zone)
    )
    fields = {field.name: _labelled(desk, field) for field in leaves(shown)}
    outcome = values.get("outcome") or {}
    refused = result.error if result else None
    return desk.page(
        "desk_shipping_rule.html",
        status_code=status_code,
        rule=rule,
        name=fields["name"],
        conditions=[[fields[f"conditions.{name}"] for name in row] for row in CONDITIONS],
        settings=[fields[f"outcome.{name}"] for name in SETTINGS],
        carriers=await _carriers(desk),
        carrier=_carrier_code(outcome),
        presets=(await desk.read_if_allowed(list_package_presets)).get("package_presets") or [],
        preset=outcome.get("package_preset_id"),
        pickers=presenter.suggestions,
        faults={**(field_faults(result) if result else {}), **(faults or {})},
        problem=problem or (refused["message"] if refused else ""),
        counted=counted,
        days=PERIODS[-1],
        delete=act_address(delete_shipping_rule, shipping_rule_id=rule["id"], back=RULES) if rule else None,
        all_fields=act_address(update_shipping_rule, shipping_rule_id=rule["id"])
        if rule
        else act_address(create_shipping_rule),
        title=desk.reader.title(update_shipping_rule if rule else create_shipping_rule),
    )


def _with_currencies(values: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """Return the values of a form whose amounts have a currency."""
    conditions, outcome = values.get("conditions") or {}, values.get("outcome") or {}
    compared, insured = conditions.get("value_currency"), outcome.get("insurance_currency")
    return {
        **values,
        "conditions": {**conditions, "value_currency": compared or currency},
        "outcome": {**outcome, "insurance_currency": insured or currency},
    }


def _labelled(desk: DeskRequest, field: Field) -> Field:
    """Return a field without its API description and example."""
    field.hint, field.required = "", field.name == "name"
    if field.kind != "measured":
        field.example = ""
    return field


def _carrier_code(outcome: Mapping[str, Any]) -> str:
    account = outcome.get("account_id")
    return f"{account}:{outcome.get('service') or ''}" if account else ""


async def _carriers(desk: DeskRequest) -> list[CarrierChoice]:
    """Return the accounts with their services."""
    methods = (await desk.read_if_allowed(get_shipping_methods)).get("methods") or []
    cheapest = desk.say("shipping_rules.cheapest")
    return [
        CarrierChoice(
            each["account"],
            {f"{each['account_id']}:": cheapest}
            | {f"{each['account_id']}:{service['code']}": service["name"] for service in each["services"]},
        )
        for each in methods
    ]
