"""The page of one operation: its form, what it would change, and what it answered."""

import base64
import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from haulier.contexts.control_tower.approvals.operations import propose_write
from haulier.kernel.operations.codec import to_plain_values
from haulier.kernel.operations.declaration import Operation, Rest
from haulier.kernel.operations.enums import Effect, Risk
from haulier.kernel.operations.resources import Resource, path_fields, rest_interface, snake_case
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.bulk_actions import (
    BulkSelection,
    ids_field,
    parse_selection,
    run_batch,
    select_bulk,
    selection_from_ids,
)
from haulier.web.desk.forms import Field, FormSchema, form_of
from haulier.web.desk.inputs import Presenter, TypedForm, leaves, read_typed
from haulier.web.desk.outcomes import UNDER_WAY, ActionOutcome, outcome_of
from haulier.web.desk.own_fields import SHOWN_AS, form_for
from haulier.web.desk.pages import DeskRequest, TableView, field_faults, not_found, plain_answer, tables_in
from haulier.web.desk.pickers import KNOWN_BY_NUMBER, home_of, load_names, name_record
from haulier.web.desk.places import address_of
from haulier.web.desk.reader import PLACE_PARTS, UNSHOWN, facts_of, record_in
from haulier.web.desk.undo import Undo, before, undo_of, undo_query
from haulier.web.desk.uploads import FormTooLarge, read_act_form, shortened
from haulier.web.pages.approval_view import RecordDifference, SideEffectView, record_difference, side_effect_view
from haulier.web.rendering import PAGE_SECURITY_HEADERS

Op = Operation[Any, Any]
FEW_FIELDS = 6
"""Up to this number of fields, all are shown; beyond it, optional fields are folded."""
OWN_FIELDS = frozenset({"csrf", "step", "once", "back", "lang", "many", "all_of"})
"""Fields that the form itself sends, last: a field of an operation may share their names."""
WAYS_BACK = ("/desk/modules",)
"""Where an act may lead back to once it is done besides lists: pages that are worked through step by step."""
JOB_PAGES = re.compile(r"/desk/(fleet|settings|storage|warehouse|ship/(batches|orders)/\d{1,18})")
"""Pages that an act may lead back to with its outcome."""
_IDS = re.compile(r"\d{1,18}")
DOCUMENT_MEMBERS = ("document", "data", "content")


class Rehearsal(Struct, frozen=True):
    """Changes and side effects that an action would have."""

    changes: list[RecordDifference]
    side_effects: list[SideEffectView]


class DeskAction:
    """One operation with what was given to it."""

    def __init__(
        self,
        desk: DeskRequest,
        operation: Op,
        typed: TypedForm,
        back: str = "",
        form: FormSchema | None = None,
    ) -> None:
        texts: Mapping[str, list[str]] = typed.texts
        self.desk, self.operation, self.texts, self.typed = desk, operation, texts, typed
        self.back_to_page = self._is_record(back) or JOB_PAGES.fullmatch(back.partition("?")[0]) is not None
        self.back = back if back in WAYS_BACK or self.back_to_page or self._is_list(back) else None
        self.form = form or form_of(operation.request)
        self.noun: Resource | None = desk.places.nouns.of_operation.get(operation.name)
        self.values = self.form.values(self.texts, desk.session.time_zone)
        """Typed texts as values of the request."""
        replaces = operation.reversed_by == operation.name
        fields = operation.request.model_fields.items()
        clearable = {info.alias or name for name, info in fields if info.is_required() or replaces}
        self.emptied = {
            name for name in clearable if name in texts and not any(texts[name]) and self.form.takes_null(name)
        }
        """Fields that were left empty on purpose, such as a route without a driver."""
        self.values |= dict.fromkeys(self.emptied)
        self.many: BulkSelection | None = None
        """The records that it is done to, where there are several; no field of the form names them."""
        self.cut_to: int | None = None
        """Number of records filled in when the selection exceeds the maximum."""

    def _is_list(self, address: str) -> bool:
        """Return True if an address is a list of the desk."""
        return urlsplit(address).path == address.partition("?")[0] in map(address_of, self.desk.places.nouns)

    def _is_record(self, address: str) -> bool:
        """Return True if an address is a record of the desk."""
        start, _, rest = address.removeprefix("/desk/").partition("/")
        return (
            address.startswith("/desk/") and start in self.desk.places.nouns.by_key and _IDS.fullmatch(rest) is not None
        )

    @property
    def risky(self) -> bool:
        """Return True if the action should be previewed before execution."""
        return self.operation.effect is Effect.WRITE and (self.operation.confirm or self.operation.risk is Risk.HIGH)

    @property
    def lacking(self) -> str:
        """The scopes that this person lacks; they may propose."""
        return ", ".join(sorted(self.operation.scopes - self.desk.session.scopes))

    @property
    def fixed(self) -> dict[str, list[str]]:
        """Fields that the address sets and the form hides, such as the record's ID."""
        names = [*path_fields(self.operation), *(self.noun.ids if self.noun else ())]
        shown = names if self.many is None else set(names) - self.named_by_many
        return {name: self.texts[name] for name in shown if name in self.texts and name in self.form.properties}

    @property
    def named_by_many(self) -> frozenset[str]:
        """The fields that the records are named by."""
        noun = self.desk.places.nouns.by_key.get(self.many.noun) if self.many else None
        return frozenset({noun.ids[-1], ids_field(noun)}) if noun else frozenset()

    @property
    def within(self) -> str:
        """The query of the list that the act's noun stands in."""
        parents = self.noun.parents if self.noun else ()
        return urlencode({name: self.texts[name] for name in parents if name in self.texts}, doseq=True)

    def give(self, name: str, text: str) -> None:
        """Fill in a field that the address does not name."""
        self.texts = {**self.texts, name: [text]}
        self.values = self.form.values(self.texts, self.desk.session.time_zone)

    async def present(self) -> dict[str, Any]:
        """Return the current values for a write that replaces a record, by field name."""
        read = self.desk.places.nouns.read_beside(self.operation)
        if read is None or not self.desk.may(read) or self.operation.effect is Effect.READ:
            return {}
        named = {name: self.values[name] for name in path_fields(read) if name in self.values}
        answer = await self.desk.read(read, named) or {}
        record = {**record_in(answer), **{name: value for name, value in answer.items() if not isinstance(value, dict)}}
        known = {**answer, **record}
        return {name: known[snake_case(name)] for name in self.form.properties if snake_case(name) in known}

    async def record_now(self) -> dict[str, Any]:
        """Return the record before a write, or what the write replaces."""
        if present := await self.present():
            return present
        shown = self.noun.record if self.noun else None
        if shown is None or not self.desk.may(shown):
            return {}
        named = {name: self.values[name] for name in path_fields(shown) if name in self.values}
        return dict(record_in(await self.desk.read(shown, named) or {}))

    async def request_values(self) -> dict[str, Any]:
        """Return the request values; for partial changes only the fields that differ."""
        interface = rest_interface(self.operation)
        if interface is None or interface.method != "PATCH":
            return self.values
        zone, present = self.desk.session.time_zone, await self.present()
        before = {field.name: field for field in self.form.fields(present, zone)}
        after = {field.name: field for field in self.form.fields(self.values, zone)}
        kept = set(self.fixed) | set(path_fields(self.operation))
        changed = {
            name for name, field in after.items() if name not in kept and name in before and field != before[name]
        }
        asked = {name: self.values.get(name) for name in self.form.properties if name in changed or name in kept}
        if SHOWN_AS in changed:
            emptied = {
                name for name in present.get(SHOWN_AS) or {} if not any(self.texts.get(f"{SHOWN_AS}.{name}", "-"))
            }
            asked[SHOWN_AS] = {**(asked[SHOWN_AS] or {}), **dict.fromkeys(emptied)}
        return asked

    @property
    def _unread(self) -> str | None:
        return self.desk.say("kinds.check_fields") if self.typed.faults else None

    async def page(
        self, result: OperationResult | None = None, *, status_code: int = 200, step: str = "", **more: Any
    ) -> Response:
        """The form, with what came of it."""
        desk, refused = self.desk, result is not None and result.error is not None
        present = {} if self.many or self.texts.keys() - self.fixed.keys() - OWN_FIELDS else await self.present()
        typed = {**present, **self.values}
        needed = {
            info.alias or name for name, info in self.operation.request.model_fields.items() if info.is_required()
        }
        answer = plain_answer(result) if result and not refused and result.answer is not None else None
        unasked = frozenset(self.fixed) | self.named_by_many | (desk.implied - needed)
        presenter = Presenter(desk, self.typed, self.operation.name)
        fields = await presenter.present(self.form.fields(typed, desk.session.time_zone, without=unasked))
        first = _first_fields(fields)
        warnings = [each["message"] for each in (answer or {}).get("warnings") or () if "message" in each]
        if answer and warnings:
            answer = {name: value for name, value in answer.items() if name != "warnings"}
        tables = await _tables_with_names(desk, answer, shown=step != "rehearse")
        return desk.page(
            "desk_act.html",
            status_code=status_code,
            act=self,
            fixed_names=await _fixed_names(self),
            operation=self.operation,
            noun=self.noun,
            title=desk.reader.title(self.operation),
            first=first,
            pickers=presenter.suggestions,
            map_at=await home_of(desk) if self.form.takes_places else None,
            rest=[field for field in fields if field not in first],
            faults={**(field_faults(result) if result else {}), **self.typed.faults},
            problem=result.error["message"] if result and result.error else self._unread,
            answer=answer if step != "rehearse" else None,
            tables=tables,
            facts=list(displayed_facts(answer or {}, self.operation)),
            warnings=warnings,
            outcome=outcome_of(desk, self.operation, answer or {}),
            made=_address_after(self, answer) if answer and self.operation.effect is Effect.WRITE else None,
            moving=_is_moving(self.operation, answer or {}),
            file=bool(answer) and document_member(self.operation, answer or {}) is not None,
            once=more.pop("once", None) or secrets.token_urlsafe(16),
            call=self.operation,
            values=shortened(self.values),
            **more,
        )


async def _fixed_names(act: DeskAction) -> dict[str, list[str]]:
    """Return the fixed fields with the names of their records."""
    shown: dict[str, list[str]] = {}
    for name, texts in act.fixed.items():
        noun = act.desk.places.nouns.referred_to(name)
        if noun and len(noun.ids) == 1 and noun.key not in KNOWN_BY_NUMBER and len(texts) == 1:
            shown[name] = [await name_record(act.desk, noun, texts[0], {})]
        else:
            shown[name] = texts
    return shown


def _first_fields(fields: list[Field]) -> list[Field]:
    """Return the visible fields of a form: all if few, else required and filled ones."""
    required, optional = [each for each in fields if each.required], [each for each in fields if not each.required]
    if not required or len(fields) <= FEW_FIELDS:
        return [*required, *optional]
    return [*required, *(each for each in optional if any(leaf.text or leaf.chosen for leaf in leaves([each])))]


def _is_moving(operation: Op, answer: Mapping[str, Any]) -> bool:
    """Return True if an answer shows work under way in the background."""
    return operation.effect is Effect.READ and (answer.get("status") or answer.get("state")) in UNDER_WAY


async def _tables_with_names(
    desk: DeskRequest, answer: Mapping[str, Any] | None, *, shown: bool
) -> dict[str, TableView]:
    """Return the tables of an answer, with the names of their records loaded."""
    tables = tables_in(desk, answer) if answer and shown else {}
    rows = [([answer or {}], answer or {}), *((table.rows, table.columns) for table in tables.values())]
    for records, names in rows:
        await load_names(desk, records, names)
    return tables


async def act_page(desk: DeskRequest) -> Response:
    """Render the page of an operation.

    Shows a form for a write; for a read also the answer once all required values are given.
    """
    operation = _operation(desk)
    if operation is None:
        return not_found(desk)
    noun = desk.places.nouns.of_operation.get(operation.name)
    if noun and noun.listing is operation:
        query = desk.request.url.query
        return RedirectResponse(address_of(noun) + (f"?{query}" if query else ""), 303)
    form = await form_for(desk, operation)
    texts = {name: texts for name, texts in desk.texts.items() if name not in OWN_FIELDS}
    typed = await read_typed(desk, form, texts)
    act = DeskAction(desk, operation, typed, desk.request.query_params.get("back", ""), form)
    if refused := await select_bulk(act):
        return await act.page(refused, status_code=refused.status)
    if operation.effect is Effect.WRITE or typed.faults or not _is_complete(act):
        return await act.page()
    result = await desk.call(operation, act.values)
    if "download" in desk.texts and result.error is None:
        return download(operation, plain_answer(result))
    return await act.page(result, status_code=result.status)


async def submit_act(desk: DeskRequest) -> Response:
    """Execute, preview or propose a write."""
    operation = _operation(desk)
    try:
        form = await read_act_form(desk.request, operation)
    except FormTooLarge as fault:
        return await _too_large(desk, operation, fault)
    own = {name: form[name].pop() for name in OWN_FIELDS if form.get(name)}
    form = {name: texts for name, texts in form.items() if texts}
    if operation is None:
        return not_found(desk)
    schema = await form_for(desk, operation)
    act = DeskAction(desk, operation, await read_typed(desk, schema, form), own.get("back", ""), schema)
    if not desk.session.is_genuine_form(desk.request, own):
        return await act.page(status_code=403, notice=desk.say("sign_in.again"))
    if act.typed.faults:
        return await act.page(status_code=422)
    if own.get("step") == "propose":
        return await _propose(act)
    if many := parse_selection(desk, operation, own.get("many", "")) or selection_from_ids(act):
        return await run_batch(act, many, own.get("once", ""))
    values = await act.request_values()
    if own.get("step") == "rehearse":
        result = await desk.call(operation, values, dry_run=True)
        shown = rehearsal(desk, result) if result.error is None else None
        return await act.page(result, status_code=result.status, step="rehearse", rehearsal=shown)
    once = own.get("once") if operation.replayable else None
    known = await before(act)
    result = await desk.call(operation, values, idempotency_key=once)
    if result.error is not None:
        return await act.page(result, status_code=result.status)
    undo = undo_of(act, known)
    if act.back in WAYS_BACK:
        return RedirectResponse(act.back, 303)
    return _after(act, result, undo) or await act.page(result, done=True, undo=undo)


async def _too_large(desk: DeskRequest, operation: Op | None, fault: FormTooLarge) -> Response:
    """The form again, empty: what is too large is not read."""
    if operation is None:
        return not_found(desk)
    words = desk.say("verify.too_large", most_mb=fault.most_bytes * 3 // 4 // 1024**2)
    return await DeskAction(desk, operation, TypedForm({})).page(status_code=413, notice=words)


async def _propose(act: DeskAction) -> Response:
    """Propose the write for approval."""
    arguments = {"tool": act.operation.name, "arguments": await act.request_values()}
    result = await act.desk.call(propose_write, arguments)
    if result.error is None:
        id = plain_answer(result)["approval"]["id"]
        return RedirectResponse(f"/mcp-approvals/{id}", 303)
    for fault in result.error.get("errors", ()):
        fault["field"] = fault["field"].removeprefix("arguments.")
    return await act.page(result, status_code=result.status)


def rehearsal(desk: DeskRequest, result: OperationResult) -> Rehearsal:
    """Return the changes and side effects of a dry run."""
    now = desk.formatter.now
    changes = [record_difference(to_plain_values(each), desk.formatter, now) for each in result.changes or []]
    effects = [side_effect_view(to_plain_values(each), desk.formatter) for each in result.side_effects or []]
    return Rehearsal([change for change in changes if change.fields], effects)


def _after(act: DeskAction, result: OperationResult, undo: Undo | None) -> Response | None:
    """Return the address of the list or record to show after an action.

    None if the answer contains more than those pages show.
    """
    answer = plain_answer(result)
    told = (value for name, value in answer.items() if name not in UNSHOWN and not isinstance(value, dict))
    address = act.back or _address_after(act, answer)
    if address is None or (any(told) and not act.back_to_page):
        return None
    return RedirectResponse(_with_done(act, address, undo, outcome_of(act.desk, act.operation, answer)), 303)


def _with_done(act: DeskAction, address: str, undo: Undo | None, outcome: ActionOutcome) -> str:
    """Return the address of a page that shows the outcome, with undo."""
    taken_back = f"&{undo_query(act.desk, undo)}" if undo else ""
    came = "" if outcome is ActionOutcome.DONE else f"&outcome={outcome}"
    return f"{address}{'&' if '?' in address else '?'}done={act.operation.name}{came}{taken_back}"


def _address_after(act: DeskAction, answer: Mapping[str, Any]) -> str | None:
    """The page of the record that an act was about or that it made."""
    noun = act.noun
    if noun is None or noun.id_field is None or len(noun.ids) > 1:
        return None
    own = snake_case(noun.id_field)
    made = [value for value in answer.values() if isinstance(value, dict)]
    given = act.values.get(noun.id_field)
    id = given if given is not None else next((value.get("id", value.get(own)) for value in made), None)
    return address_of(noun, [id]) if id is not None else None


def displayed_facts(answer: Mapping[str, Any], operation: Op) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Return the facts of an answer without its lists, file and pictures.

    Facts of a single record in the answer are merged into the others.
    """
    parts = [value for value in answer.values() if isinstance(value, dict)]
    file = document_member(operation, answer)
    for name, value in answer.items():
        if isinstance(value, dict) and len(parts) == 1 and parts[0].keys().isdisjoint(PLACE_PARTS):
            yield from ((inner, each, value) for inner, each in facts_of(value).items())
        elif name in facts_of(answer) and name != file and not name.endswith("_svg") and not _is_table(value):
            yield name, value, answer


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def document_member(operation: Op, answer: Mapping[str, Any]) -> str | None:
    """The member of an answer that is a file."""
    if not answer.get("media_type"):
        return None
    return next((name for name in DOCUMENT_MEMBERS if isinstance(answer.get(name), str)), None)


def download(operation: Op, answer: Mapping[str, Any]) -> Response:
    """Return the file in an answer as a download.

    Never shown inline: uploads of other users must not run as pages of this site.
    """
    name = document_member(operation, answer)
    text = answer[name] if name else ""
    media_type = str(answer.get("media_type") or "application/octet-stream")
    headers = {
        **PAGE_SECURITY_HEADERS,
        "Content-Disposition": f'attachment; filename="{operation.name}.{_ending(media_type)}"',
    }
    return Response(_file_bytes(operation, text), headers=headers, media_type=media_type)


def _file_bytes(operation: Op, text: str) -> bytes:
    told = [
        interface.representations
        for interface in operation.interfaces
        if isinstance(interface, Rest) and interface.representations
    ]
    plain = bool(told) and told[0].media_type_field is None
    try:
        return text.encode() if plain else base64.b64decode(text, validate=True)
    except ValueError:
        return text.encode()


def _ending(media_type: str) -> str:
    return media_type.split(";")[0].rpartition("/")[2].rpartition("+")[2].rpartition(".")[2]


def _operation(desk: DeskRequest) -> Op | None:
    """The operation of the address, where it has a page that this person may open."""
    found = desk.places.registry.get(desk.request.path_params["operation"])
    return found if found and desk.places.has_page(found) and desk.may(found) else None


def _is_complete(act: DeskAction) -> bool:
    """Return True if a read has all required values."""
    needed = (info.alias or name for name, info in act.operation.request.model_fields.items() if info.is_required())
    return all(name in act.values for name in needed)
