"""Reads of timelines: for callers, and for the families that write events."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from functools import lru_cache
from typing import cast

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from haulier.contexts.otep.public import (
    Correction,
    DeliveryOutcome,
    DescribeStatus,
    Phase,
    Timeline,
    TrackingEvent,
    describe_event,
    describe_outcome,
    merge_events,
    public_view,
)
from haulier.contexts.tracking.timelines.rules import (
    TRACKING_CHANNEL,
    find_by_spelling,
    make_number_key,
    may_see_full_timeline,
    without_actor_ids,
    without_third_persons,
)
from haulier.contexts.tracking.timelines.serializers import (
    public_timeline_and_fingerprint,
    subject_viewers,
    timeline_and_fingerprint,
    timeline_fingerprint,
    timeline_from_row,
)
from haulier.contexts.tracking.timelines.store import events as events_store
from haulier.contexts.tracking.timelines.store import subjects as subject_store
from haulier.contexts.tracking.timelines.store.tables import (
    LockedSubjectRow,
    RecordedEventRow,
    SubjectOwnerRow,
    SubjectRow,
)
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.notified_cache import NotifiedCache
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.caching import Fingerprint
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import record_not_found

DELIVERED_CODE = "delivered"
PUBLIC_CACHE_S = 15
"""Cache lifetime in seconds of public tracking answers."""
OWNERS_KNOWN_FOR_S = 60.0
"""Cache lifetime in seconds; a notice reports a number that another client begins to use."""
MAX_NUMBERS_KNOWN = 20_000
PUBLIC_READ_LIMITS = (RateLimit(600, 60, ("address",)),)
"""Numbers cannot be guessed; the limit keeps one address from trying."""


class NumberOwners:
    """Cache of the clients that track under a number."""

    def __init__(self, database: Database) -> None:
        self._known: NotifiedCache[str, tuple[int, ...]] = NotifiedCache(
            database, TRACKING_CHANNEL, for_s=OWNERS_KNOWN_FOR_S, at_most=MAX_NUMBERS_KNOWN
        )

    async def listen(self, stack: AsyncExitStack) -> None:
        """Start caching until the stack is closed."""
        await self._known.listen(stack)

    async def of(self, work: UnitOfWork, key: str) -> Sequence[int]:
        """Return the clients that track under a number key. Unknown keys are not cached."""
        known = self._known.get(key)
        if known is not None:
            return known
        before = self._known.state()
        owners = tuple(await subject_store.list_number_owners(work, key))
        if owners:
            self._known.keep(key, owners, key, before)
        return owners


async def _owners_of(call: Call, number: str) -> Sequence[int]:
    return await call.adapter(NumberOwners).of(call.work, make_number_key(number))


async def get_tracked_subject(call: Call, number: str) -> SubjectRow:
    """Return a subject with its events, of any client. Raises `NOT_FOUND`."""
    row = await subject_store.find_subject(call.work, await _owners_of(call, number), number)
    if row is None:
        raise record_not_found(number=number)
    return row


async def tracked_subjects_by_number(call: Call, numbers: Collection[str]) -> dict[str, SubjectRow]:
    """Return subjects with their events, of any client, by requested number.

    Unknown numbers are missing.
    """
    if not numbers:
        return {}
    rows = await subject_store.list_subjects_of_all_clients(call.work, numbers)
    return find_by_spelling(numbers, {row.tracking_number: row for row in rows})


async def list_visible_subjects(
    call: Call, *, numbers: Collection[str], order_ids: Collection[int], order_refs: Collection[str]
) -> tuple[list[SubjectRow], dict[str, int]]:
    """Return fully visible subjects with their events, and subject ids by alias.

    A number is the subject's own or one that a carrier assigned. Staff see every subject of their client; customers,
    contractors and drivers see their own.
    """
    aliases = await subject_store.subject_ids_by_alias(call.work, numbers)
    ids_by_alias = find_by_spelling(numbers, aliases)
    rows = await subject_store.list_subjects(
        call.work,
        numbers=numbers,
        ids=ids_by_alias.values(),
        order_ids=order_ids,
        order_refs=order_refs,
        viewer=viewer_filter(call),
    )
    numbered = find_by_spelling(numbers, {row.tracking_number: row for row in rows}).values()
    meant = {*ids_by_alias.values(), *(row.id for row in numbered)}
    asked = [row for row in rows if row.id in meant or row.order_id in order_ids or row.order_ref in order_refs]
    return asked, ids_by_alias


async def list_visible_timelines(call: Call, numbers: Collection[str]) -> dict[str, Timeline]:
    """Return fully visible timelines by number; others are missing.

    Two statements.
    """
    rows, _ = await list_visible_subjects(call, numbers=numbers, order_ids=(), order_refs=())
    return find_by_spelling(
        numbers, {row.tracking_number: describe_timeline(call, timeline_from_row(row)) for row in rows}
    )


async def find_timelines(work: UnitOfWork, numbers: Collection[str]) -> dict[str, Timeline]:
    """Return whole timelines of a client's parcels, by requested number.

    A number is the parcel's own, or one that a carrier assigned. Unknown numbers are missing. The client is that of
    `work`. Two statements.
    """
    ids_by_alias = find_by_spelling(numbers, await subject_store.subject_ids_by_alias(work, numbers))
    rows = await subject_store.list_subjects(
        work, numbers=numbers, ids=ids_by_alias.values(), order_ids=(), order_refs=(), viewer=None
    )
    by_id = {row.id: row for row in rows}
    numbered = find_by_spelling(numbers, {row.tracking_number: row for row in rows})
    aliased = {number: by_id[id] for number, id in ids_by_alias.items() if id in by_id}
    return {number: timeline_from_row(row) for number, row in (aliased | numbered).items()}


async def find_timeline_fingerprint(call: Call, number: str) -> Fingerprint | None:
    """Return a fingerprint that changes with a timeline, without reading its events."""
    row = await subject_store.find_subject_fingerprint(call.work, await _owners_of(call, number), number)
    return timeline_fingerprint(row, row.events, row.recorded_at) if row else None


def visible_timeline(call: Call, row: SubjectRow) -> Timeline:
    """Return a timeline as the caller may see it: whole, or the public view."""
    timeline, call.fingerprint = timeline_and_fingerprint(row)
    if may_see_full_timeline(call.principal, row.client_id, subject_viewers(row)):
        return describe_timeline(call, timeline)
    return public_view(timeline, status_describer(call))


async def get_public_timeline(call: Call, number: str) -> Timeline | None:
    """Return the public timeline of a number, with encoded events.

    None if it must be built from the whole events. Raises `NOT_FOUND`.
    """
    row = await subject_store.find_public_subject(call.work, await _owners_of(call, number), number)
    if row is None:
        raise record_not_found(number=number)
    if result := public_timeline_and_fingerprint(row, status_describer(call)):
        timeline, call.fingerprint = result
        return timeline
    return None


async def list_public_timelines(call: Call, numbers: Collection[str]) -> dict[str, Timeline]:
    """Return public timelines of many numbers; unknown ones are missing."""
    rows, describe = await subject_store.list_public_subjects(call.work, numbers), status_describer(call)
    timelines = {
        row.tracking_number: result[0] for row in rows if (result := public_timeline_and_fingerprint(row, describe))
    }
    return find_by_spelling(numbers, timelines)


def describe_timeline(call: Call, timeline: Timeline) -> Timeline:
    """Return a full timeline with descriptions in the caller's language."""
    describe = status_describer(call)
    if call.principal.account not in OFFICE:
        timeline = without_actor_ids(timeline)
    if call.principal.account is Account.CUSTOMER:
        timeline = without_third_persons(timeline)
    events = (replace(event, description=describe_event(describe, event)) for event in timeline.events)
    return replace(timeline, events=tuple(events))


def describe_delivery(app: Application, language: str, outcome: DeliveryOutcome) -> str:
    """Return the words for a delivery with its outcome."""
    return _status_describer(app.catalogues, language)("delivered", Phase.DELIVERED.value, outcome)


def status_describer(call: Call) -> DescribeStatus:
    """Return the function that describes a status in the caller's language."""
    return _status_describer(call.app.catalogues, call.language)


@lru_cache(maxsize=64)
def _status_describer(catalogues: Catalogues, language: str) -> DescribeStatus:
    texts = catalogues.words(language)

    @lru_cache(maxsize=1024)
    def describe(status_code: str, phase: str, outcome: DeliveryOutcome | UnsetType = UNSET, /) -> str:
        """Return the text of a status and its outcome, or of its phase if unregistered."""
        text = str(texts.get(f"otep.status.{status_code}") or texts[f"otep.phase.{phase}"])
        return describe_outcome(cast("Mapping[str, str]", texts), text, outcome) if outcome else text

    return describe


def viewer_filter(call: Call) -> tuple[str, int] | None:
    """Return the account kind and user that a subject must name; None for staff."""
    if call.principal.account in OFFICE:
        return None
    return call.principal.account.value, call.actor or 0


async def lock_subjects_by_number(work: UnitOfWork, numbers: Collection[str]) -> dict[str, LockedSubjectRow]:
    """Lock and return this client's subjects by number.

    Other spellings match. If a number is one subject's own and another's alias, it is the first one's.
    """
    ids_by_alias = await subject_store.subject_ids_by_alias(work, numbers)
    rows = await subject_store.lock_subjects(work, numbers, set(ids_by_alias.values()))
    by_id = {row.id: row for row in rows}
    own = {row.tracking_number: row for row in rows}
    aliased = {alias: by_id[id] for alias, id in ids_by_alias.items() if id in by_id and alias not in own}
    return find_by_spelling(numbers, own | aliased)


async def list_number_owners(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """Return the owning client of each tracked number."""
    if not numbers:
        return {}
    return find_by_spelling(numbers, await subject_store.number_owners(work, numbers))


async def list_subject_owners(work: UnitOfWork, number: str) -> list[SubjectOwnerRow]:
    """Return orders and customers of this client's subjects that a number may mean.

    Any spelling matches. One statement.
    """
    return await subject_store.list_subject_owners(work, [number])


async def list_recorded_events(work: UnitOfWork, keys: Collection[tuple[int, str]]) -> list[RecordedEventRow]:
    """Return recorded events among (subject id, event id), and possibly others."""
    return await events_store.list_recorded_events(work, keys)


async def list_whole_events(work: UnitOfWork, subject_ids: Collection[int]) -> list[tuple[int, TrackingEvent]]:
    """Return every event of subjects with subject ids, unordered."""
    return await events_store.list_whole_events(work, subject_ids) if subject_ids else []


class OrderJourney(Struct, frozen=True, kw_only=True):
    """Journey of one parcel of an order."""

    tracking_number: str
    end: str | None = None
    """Terminal code of the end; `delivered` also if the profile has its own word."""
    ended_at: datetime | None = None
    ended_by: str | None = None
    """Name of the source that reported the end."""


async def list_order_journeys(call: Call, order_ids: Collection[int]) -> dict[int, list[OrderJourney]]:
    """Return the journeys of parcels, by order. One statement.

    Orders without a timeline are missing.
    """
    rows = await subject_store.list_subjects(
        call.work, numbers=(), ids=(), order_ids=order_ids, order_refs=(), viewer=None
    )
    journeys: dict[int, list[OrderJourney]] = {}
    for row in rows:
        if row.order_id is not None:
            journeys.setdefault(row.order_id, []).append(_journey(timeline_from_row(row)))
    return journeys


async def list_order_events(call: Call, order_id: int) -> list[TrackingEvent]:
    """Return the client's events of an order's parcels, one per parcel, unordered.

    Two statements.
    """
    rows = await subject_store.list_subjects(
        call.work, numbers=(), ids=(), order_ids=[order_id], order_refs=(), viewer=None
    )
    return [event for _, event in await list_whole_events(call.work, {row.id for row in rows})]


def _journey(timeline: Timeline) -> OrderJourney:
    number = timeline.subject.tracking_number or ""
    if not (timeline.terminal or timeline.delivered):
        return OrderJourney(tracking_number=number)
    last = next(event for event in reversed(timeline.events) if not event.late)
    return OrderJourney(
        tracking_number=number,
        end=DELIVERED_CODE if timeline.delivered else last.status_code,
        ended_at=last.occurred_at,
        ended_by=last.source.name or None,
    )


async def late_event_ids(
    work: UnitOfWork, asked: Collection[tuple[int, TrackingEvent]], have_ends: Mapping[int, bool]
) -> set[tuple[int, str]]:
    """Return recorded events after the end of their journey.

    As (subject id, event id). `asked` are events with subject ids; `have_ends` says of subjects whether they have a
    terminal event, as far as known (`add_events`). The others are read.
    """
    unknown = {subject_id for subject_id, _ in asked} - have_ends.keys()
    ended = await events_store.ended_subject_ids(work, unknown) if unknown else set[int]()
    ended |= {subject_id for subject_id, ends in have_ends.items() if ends}
    if not ended:
        return set()
    events: dict[int, list[TrackingEvent]] = {}
    # Not all: only ends and copies at the same instant decide, so a long timeline costs no more than a short one.
    of_ended = [(subject_id, event) for subject_id, event in asked if subject_id in ended]
    for subject_id, event in await events_store.list_events_that_decide(work, of_ended):
        events.setdefault(subject_id, []).append(event)
    corrections: dict[int, list[Correction]] = {}
    for subject_id, correction in await events_store.list_corrections(work, ended):
        corrections.setdefault(subject_id, []).append(correction)
    return {
        (subject_id, event.event_id)
        for subject_id, told in events.items()
        for event in merge_events(told, corrections.get(subject_id, ()))
        if event.late
    }


async def list_correction_ids(work: UnitOfWork, subject_ids: Collection[int]) -> set[tuple[int, str]]:
    """Return the corrections of subjects as (subject id, correction id)."""
    return await events_store.recorded_correction_ids(work, subject_ids) if subject_ids else set()
