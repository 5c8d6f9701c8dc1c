"""Bulk actions in pieces, on selected records or on all that match filters.

The form of the next piece carries the remaining and finished records; the server stores nothing. A form that is sent
twice has no second effect: each call has its own idempotency key. Records that no longer match the filters are skipped
and reported, so each piece is checked again after the previous one.
"""

import secrets
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct
from starlette.responses import Response

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.resources import Resource, snake_case
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.forms import FormSchema, form_of
from haulier.web.desk.pages import DeskRequest, plain_answer
from haulier.web.desk.places import address_of, declarations
from haulier.web.desk.reader import id_of
from haulier.web.desk.undo import NOT_REPEATED, Undo, undoing

if TYPE_CHECKING:
    from haulier.web.desk.acts import DeskAction

Op = Operation[Any, Any]
PIECE = 50
"""Number of records per request."""
MANY_MAX = 2_000
"""Maximum number of records selected by filters."""
WALKS_MAX = 3
"""A list that changes while its pages are read is read again so often."""
TRY_LATER = frozenset({429, 502, 503, 504})
"""Answers that say no more than that it is too soon."""


class BulkSelection(Struct, frozen=True, kw_only=True):
    """The records and progress of a bulk action.

    IDs are texts separated by spaces, which keeps forms with thousands of records small.
    """

    noun: str
    """The key of their noun."""
    left: str
    """Records that are not done yet."""
    query: str | None = None
    """The filters that they fit; None for ticked ones."""
    total: int = 0
    unchosen: bool = False
    """Return True if more records match than the maximum."""
    begun: bool = False
    good: str = ""
    gone: str = ""
    """Skipped records that no longer match the filters."""
    refused: dict[str, str] = {}
    """Ids by what was said about them."""
    reported: dict[str, str] = {}
    """IDs of successful records by the message about them."""

    @property
    def done(self) -> int:
        """Return the number of records with a result."""
        return self.total - len(self.left.split())

    @property
    def told(self) -> list[tuple[str, list[str]]]:
        """Return the messages, each with its records."""
        return [(said, ids.split()) for said, ids in self.refused.items()]

    @property
    def reports(self) -> list[tuple[str, list[str]]]:
        """Return the messages about successful records, each with its records."""
        return [(said, ids.split()) for said, ids in self.reported.items()]

    @property
    def unreported(self) -> int:
        """Return the number of successful records without a message."""
        return len(self.good.split()) - sum(len(ids) for _, ids in self.reports)

    def changed(self, **values: Any) -> "BulkSelection":
        """The same with other values."""
        return msgspec.structs.replace(self, **values)

    @property
    def text(self) -> str:
        """As a form carries it."""
        return msgspec.json.encode(self).decode()


class ListRefused(Exception):
    """A list could not be read; `result` says why."""

    def __init__(self, result: OperationResult) -> None:
        super().__init__(result.error)
        self.result = result


class PieceDone(Struct, frozen=True):
    """Result of one request."""

    many: BulkSelection
    at_fault: OperationResult | None = None
    """The answer that says that the form itself is at fault."""
    problem: str | None = None
    """Why no more was done for now."""


def select_ids(noun: Resource, ids: Iterable[str]) -> BulkSelection:
    """Return the selected records."""
    chosen = list(dict.fromkeys(ids))[:MANY_MAX]
    return BulkSelection(noun=noun.key, left=" ".join(chosen), total=len(chosen), begun=True)


def parse_selection(desk: DeskRequest, operation: Op, text: str) -> BulkSelection | None:
    """Return the records in a form, or None if it has none for this operation."""
    try:
        many = msgspec.json.decode(text or "null", type=BulkSelection | None)
    except msgspec.DecodeError:
        return None
    noun = desk.places.nouns.by_key.get(many.noun) if many else None
    return many if noun and noun.ids and in_pieces(operation, noun) and desk.may(noun.listing) else None


def selection_from_ids(act: "DeskAction") -> BulkSelection | None:
    """The records that an act is given by their ids; None where it is one at most."""
    noun = act.noun if act.noun and act.noun.ids and act.operation in act.noun.acts else None
    ids = act.texts.get(noun.ids[-1], []) if noun else []
    return select_ids(noun, ids) if noun and len(ids) > 1 else None


async def select_bulk(act: "DeskAction") -> OperationResult | None:
    """Find the records of an action from its address.

    Returns the reason if the list cannot be read.
    """
    desk, operation = act.desk, act.operation
    key, _, query = desk.request.query_params.get("all_of", "").partition("?")
    noun = desk.places.nouns.by_key.get(key)
    if noun is None or not noun.ids or not desk.may(noun.listing):
        act.many = selection_from_ids(act)
        return None
    pieces = in_pieces(operation, noun)
    try:
        ids, more = await _fitting_ids(desk, noun, query, MANY_MAX if pieces else _most_at_once(operation, noun))
    except ListRefused as refused:
        return refused.result
    if pieces:
        act.many = BulkSelection(noun=noun.key, left=" ".join(ids), total=len(ids), query=query, unchosen=more)
    else:
        act.give(ids_field(noun), "\n".join(ids))
        act.cut_to = len(ids) if more else None
    return None


async def run_batch(act: "DeskAction", many: BulkSelection, once: str) -> Response:
    """Do the next piece, and show how far it is."""
    desk, noun = act.desk, act.desk.places.nouns.by_key[many.noun]
    act.many = many
    typed = {name: texts for name, texts in act.texts.items() if name not in act.named_by_many}
    step = await PieceRun(desk, noun, act.operation, act.form, typed, act.emptied, once).step(many)
    if step.at_fault:
        return await act.page(step.at_fault, status_code=step.at_fault.status)
    act.many = step.many
    undo = None if step.many.left else undo_for_all(act, noun, step.many)
    return await act.page(piece=step, typed=typed, once=once, undo=undo, addresses=partial(_addresses, noun, step.many))


def in_pieces(operation: Op, noun: Resource) -> bool:
    """Return True if an action can run in pieces.

    It must act on one record, or report refused records of a list with reasons.
    """
    if operation not in noun.bulk:
        return operation in noun.acts
    one = snake_case(noun.ids[-1])
    for kind in get_type_hints(operation.answer).values():
        row = get_args(kind)[0] if get_origin(kind) is list else None
        if isinstance(row, type) and {one, "message"} <= set(getattr(row, "__struct_fields__", ())):
            return True
    return False


def _most_at_once(operation: Op, noun: Resource) -> int:
    """Return the maximum number of records that a bulk write accepts."""
    form = form_of(operation.request)
    told = form.resolved(form.properties.get(ids_field(noun), {}))
    return min(MANY_MAX, told.get("maxItems", MANY_MAX))


class PieceRun(Struct, frozen=True):
    """Parameters for running the next piece of an action."""

    desk: DeskRequest
    noun: Resource
    operation: Op
    form: FormSchema
    texts: Mapping[str, list[str]]
    """Typed texts."""
    emptied: Iterable[str]
    """Fields that were left empty on purpose."""
    once: str

    async def step(self, many: BulkSelection) -> PieceDone:
        """Run the next piece, then check which of the rest still match.

        The first request of a filter only checks.
        """
        done = await self._piece(many) if many.begun else PieceDone(many.changed(begun=True))
        if done.at_fault or done.problem or done.many.query is None or not done.many.left:
            return done
        try:
            return PieceDone(await self._looked_again(done.many))
        except ListRefused as refused:
            return PieceDone(done.many, problem=(refused.result.error or {}).get("message"))

    async def _piece(self, many: BulkSelection) -> PieceDone:
        ids = many.left.split()[:PIECE]
        if self.operation in self.noun.bulk:
            return await self._do(many, ids)
        for id in ids:
            step = await self._do(many, [id])
            if step.at_fault or step.problem:
                return step
            many = step.many
        return PieceDone(many)

    async def _do(self, many: BulkSelection, ids: list[str]) -> PieceDone:
        """One call, for one record or for a list of them. What it refuses stops no other."""
        result = await self.desk.call(self.operation, self._values(ids), idempotency_key=self._key(ids))
        if result.error and result.status in TRY_LATER:
            return PieceDone(many, problem=result.error["message"])
        if result.error and _is_about_the_form(result) and not (many.good or many.refused):
            return PieceDone(many, at_fault=result)
        refused = dict.fromkeys(ids, str(result.error["message"])) if result.error else self._refusals(result)
        done = _with_outcome(many, ids, refused)
        if result.error is None and self.operation.name in declarations().reported["by"]:
            done = done.changed(reported=_grouped(done.reported, ids, plain_answer(result).get("message")))
        return PieceDone(done)

    def _values(self, ids: list[str]) -> dict[str, Any]:
        name = ids_field(self.noun) if self.operation in self.noun.bulk else self.noun.ids[-1]
        texts = {**self.texts, name: ["\n".join(ids)]}
        values = self.form.values(texts, self.desk.session.time_zone)
        return values | dict.fromkeys(self.emptied)

    def _key(self, ids: list[str]) -> str | None:
        return f"{self.once}-{ids[0]}" if self.once and self.operation.replayable else None

    def _refusals(self, result: OperationResult) -> dict[str, str]:
        """Return the refusals in an answer by record ID."""
        if self.operation not in self.noun.bulk:
            return {}
        one, answer = snake_case(self.noun.ids[-1]), plain_answer(result)
        rows = [row for rows in answer.values() if isinstance(rows, list) for row in rows if isinstance(row, dict)]
        return {str(row[one]): row["message"] for row in rows if row.get(one) is not None and row.get("message")}

    async def _looked_again(self, many: BulkSelection) -> BulkSelection:
        """Return the remaining records that still match the filters."""
        left = many.left.split()
        found, _ = await _fitting_ids(self.desk, self.noun, many.query or "", 2 * MANY_MAX, until={*left})
        fitting = set(found)
        gone = [*many.gone.split(), *(id for id in left if id not in fitting)]
        return many.changed(left=" ".join(id for id in left if id in fitting), gone=" ".join(gone))


def ids_field(noun: Resource) -> str:
    """The field of a write to many that takes their ids."""
    return f"{snake_case(noun.ids[-1])}s"


def _is_about_the_form(result: OperationResult) -> bool:
    """Return True if the answer concerns the shared fields.

    Nothing was done then, and the form is shown again.
    """
    return result.status in {400, 403} or bool(result.error and result.error.get("errors"))


def _with_outcome(many: BulkSelection, ids: list[str], told: Mapping[str, str]) -> BulkSelection:
    refused = dict(many.refused)
    for id in ids:
        refused = _grouped(refused, [id], told.get(id))
    good = [*many.good.split(), *(id for id in ids if id not in told)]
    return many.changed(left=" ".join(many.left.split()[len(ids) :]), good=" ".join(good), refused=refused)


def _grouped(groups: Mapping[str, str], ids: list[str], message: str | None) -> dict[str, str]:
    """Return groups of IDs by message with further IDs."""
    if not message:
        return dict(groups)
    return {**groups, message: " ".join([*groups.get(message, "").split(), *ids])}


async def _fitting_ids(
    desk: DeskRequest, noun: Resource, query: str, most: int, *, until: set[str] | None = None
) -> tuple[list[str], bool]:
    """Return the matching IDs in list order, and whether there are more.

    With `until`, stops once all of those were found.
    """
    for _ in range(WALKS_MAX - 1):
        ids, more, steady = await _walk(desk, noun, query, most, until)
        if steady:
            return ids, more
    ids, more, _ = await _walk(desk, noun, query, most, until)
    return ids, more


async def _walk(
    desk: DeskRequest, noun: Resource, query: str, most: int, until: set[str] | None
) -> tuple[list[str], bool, bool]:
    """Like `_fitting_ids`; also return True if the list did not change meanwhile."""
    form = form_of(noun.listing.request)
    asked = form.values(parse_qs(query), desk.session.time_zone)
    size = next((name for name in ("per_page", "limit") if name in form.properties), None)
    if size:
        asked[size] = form.resolved(form.properties[size]).get("maximum", PIECE)
    ids: dict[str, None] = {}
    totals: set[int | None] = set()
    page = 1
    while True:
        result = await desk.call(noun.listing, asked)
        if result.error:
            raise ListRefused(result)
        answer = plain_answer(result)
        rows = answer.get(noun.rows) or []
        ids.update(dict.fromkeys(id for row in rows if (id := id_of(noun, row))))
        totals.add(answer.get("total"))
        cursor = answer.get("next_cursor")
        more = bool(cursor) or ("page" in form.properties and answer.get("total", 0) > page * asked.get(size or "", 0))
        if not more or not rows or len(ids) >= most or (until is not None and until <= ids.keys()):
            return list(ids)[:most], more or len(ids) > most, len(totals) == 1
        page += 1
        asked |= {"cursor": cursor} if cursor else {"page": page}


def _addresses(noun: Resource, many: BulkSelection, ids: list[str]) -> list[tuple[str, str | None]]:
    """Ids with the pages of their records."""
    within = {name: texts[-1] for name, texts in parse_qs(many.query or "").items()}
    parents = [within.get(name) for name in noun.parents]
    return [(id, None if None in parents else address_of(noun, [*parents, id])) for id in ids]


def undo_for_all(act: "DeskAction", noun: Resource, many: BulkSelection) -> Undo | None:
    """Return the undo action for the records on which an action succeeded."""
    found, ids = undoing(act), many.good.split()
    if found is None or found is act.operation or not ids or not in_pieces(found, noun):
        return None
    given = {name: texts for name, texts in act.texts.items() if name not in NOT_REPEATED | act.named_by_many}
    return Undo(found, {**given, "many": [select_ids(noun, ids).text], "once": [secrets.token_urlsafe(16)]})
