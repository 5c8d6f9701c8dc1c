"""Payouts: statements to create, resolve and pay, and the page of one statement."""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.responses import RedirectResponse, Response

from haulier.contexts.settlements.pay.rules import EarningKind
from haulier.contexts.settlements.payouts.operations import (
    close_payouts,
    create_payouts,
    dispute_payout,
    get_payout,
    get_payout_file,
    list_payouts,
    pay_payouts,
    preview_payouts,
    resolve_payout_dispute,
)
from haulier.contexts.settlements.payouts.rules import DisputeState, PayoutStatus
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.amounts import read_amount, typed_amount
from haulier.web.desk.pages import DeskRequest, list_problems, not_found, parse_number, plain_answer
from haulier.web.kinds.numbers import InputFault
from haulier.web.operations_client import read_form_fields

ADDRESS = "/desk/payout-run"
WAITING_SHOWN, PAID_SHOWN = 200, 8
DONE = {"create": create_payouts, "pay": pay_payouts, "close": close_payouts}
Form = Mapping[str, list[str]]


async def payout_run_page(desk: DeskRequest) -> Response:
    """Show unpaid earnings, statements to pay and the latest payments."""
    if not desk.may(preview_payouts):
        return not_found(desk)
    return await _page(desk)


async def submit_payout_run(desk: DeskRequest) -> Response:
    """Create statements, or approve or pay the ticked ones."""
    form = await _read_form(desk)
    do = _text(form, "do")
    if do not in DONE or not desk.may(DONE[do]):
        return not_found(desk)
    if not desk.session.is_genuine_form(desk.request, {name: texts[-1] for name, texts in form.items()}):
        return await _page(desk, problem=desk.say("sign_in.again"), status_code=403)
    values: dict[str, Any] = {"until": _text(form, "until") or None}
    if do != "create":
        values = {"payout_ids": [number for text in form.get("payout", []) if (number := parse_number(text))]}
        if not values["payout_ids"]:
            return await _page(desk, problem=desk.say("payouts_page.none_selected"), status_code=422)
    if do == "pay":
        values["payment_reference"] = _text(form, "payment_reference")
    result = await desk.call(DONE[do], values, idempotency_key=_once(form))
    if result.error is not None:
        return await _page(desk, problem=list_problems(result)[0], status_code=result.status)
    made = {"done": do, "count": len(plain_answer(result)["payouts"])}
    return RedirectResponse(f"{ADDRESS}?{urlencode(made)}", 303)


async def _page(desk: DeskRequest, *, problem: str = "", status_code: int = 200) -> Response:
    until = desk.texts.get("until", [str(desk.today)])[-1]
    preview = await desk.read_if_allowed(preview_payouts, until=until)
    waiting = [
        each
        for status in (PayoutStatus.OPEN, PayoutStatus.CLOSED)
        for each in (await desk.read_if_allowed(list_payouts, status=status.value, per_page=WAITING_SHOWN)).get(
            "payouts"
        )
        or []
    ]
    paid = await desk.read_if_allowed(list_payouts, status=PayoutStatus.PAID.value, per_page=PAID_SHOWN)
    done = desk.texts.get("done", [""])[-1]
    return desk.page(
        "desk_payout_run.html",
        status_code=status_code,
        preview=preview,
        until=until,
        waiting=sorted(waiting, key=lambda each: (-each["open_disputes"], -each["id"])),
        paid=paid.get("payouts") or [],
        sums=sum_by_currency(waiting),
        file=get_payout_file,
        may={name: desk.may(operation) for name, operation in DONE.items()},
        done=done if done in DONE else "",
        count=desk.number("count") or 0,
        problem=problem,
        once=secrets.token_urlsafe(16),
        call=preview_payouts,
        values={"until": until},
    )


def sum_by_currency(payouts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the totals of payouts without open disputes, by currency."""
    sums: dict[str, int] = {}
    for each in payouts:
        if not each["open_disputes"]:
            sums[each["currency"]] = sums.get(each["currency"], 0) + each["total_minor"]
    return [{"currency": currency, "total_minor": minor} for currency, minor in sorted(sums.items())]


async def load_payout(desk: DeskRequest, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page of a statement shows besides its fields."""
    answer = await desk.read_if_allowed(get_payout, payout_id=record["id"])
    lines = answer.get("payout_lines") or []
    is_open = record["status"] == PayoutStatus.OPEN
    return {
        "lines": lines,
        "disputes": [each for each in lines if each["dispute_state"] == DisputeState.OPEN],
        "may_dispute": is_open and desk.may(dispute_payout),
        "may_resolve": is_open and desk.may(resolve_payout_dispute),
        "usual": _usual_amount(desk, lines),
        "file": get_payout_file,
        "without_button": {dispute_payout.name, resolve_payout_dispute.name},
        "problem": desk.texts.get("problem", [""])[-1],
    }


def _usual_amount(desk: DeskRequest, lines: list[dict[str, Any]]) -> str:
    """Return the amount that a delivered stop pays on the statement, as it is typed."""
    paid = [each for each in lines if each["kind"] == EarningKind.STOP]
    return typed_amount(desk, paid[-1]["amount_minor"], paid[-1]["currency"]) if paid else ""


async def submit_dispute(desk: DeskRequest) -> Response:
    """Dispute the ticked lines of a statement, or resolve their disputes."""
    payout_id = desk.request.path_params["payout_id"]
    form = await _read_form(desk)
    found = await desk.read_if_allowed(get_payout, payout_id=payout_id)
    if not found:
        return not_found(desk)
    if not desk.session.is_genuine_form(desk.request, {name: texts[-1] for name, texts in form.items()}):
        return _back(desk, payout_id, "sign_in.again")
    earnings = [number for text in form.get("earning", []) if (number := parse_number(text))]
    if not earnings:
        return _back(desk, payout_id, "payouts_page.none_selected")
    values: dict[str, Any] = {"payout_id": payout_id, "earning_ids": earnings}
    operation: Operation[Any, Any] = dispute_payout
    do = _text(form, "do")
    if do == "dispute":
        values["reason"] = _text(form, "reason")
    else:
        operation = resolve_payout_dispute
        values["answer"] = _text(form, "answer")
    if do == "accept":
        try:
            values["amount_minor"] = read_amount(desk, _text(form, "amount"), found["payout"]["currency"])
        except InputFault:
            return _back(desk, payout_id, "payouts_page.no_amount")
    if not desk.may(operation):
        return not_found(desk)
    result = await desk.call(operation, values, idempotency_key=_once(form))
    if result.error is not None:
        return desk.page(
            "desk_notice.html",
            status_code=result.status,
            title=desk.say("payouts_page.title"),
            text=list_problems(result)[0],
        )
    # A resolved statement leads back to the others that wait for payment.
    ready = do != "dispute" and not plain_answer(result)["payout"]["open_disputes"]
    return RedirectResponse(ADDRESS if ready else f"/desk/payouts/{payout_id}?done={operation.name}", 303)


def _back(desk: DeskRequest, payout_id: int, problem: str) -> Response:
    return RedirectResponse(f"/desk/payouts/{payout_id}?{urlencode({'problem': problem})}", 303)


async def _read_form(desk: DeskRequest) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for name, text in await read_form_fields(desk.request):
        fields.setdefault(name, []).append(text)
    return fields


def _text(form: Form, name: str) -> str:
    return (form.get(name) or [""])[-1].strip()


def _once(form: Form) -> str:
    """Return the idempotency key of a button: one form serves several."""
    return hashlib.blake2s(msgspec.json.encode(sorted(form.items())), digest_size=16).hexdigest()
