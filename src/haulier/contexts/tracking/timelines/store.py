"""The SQL of timelines: subjects, the numbers that others give them, and events, which are only ever added."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    Index,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    case,
    exists,
    false,
    func,
    literal_column,
    or_,
    select,
    update,
)

from haulier.contexts.tracking.otep.model import Correction, Event
from haulier.contexts.tracking.otep.rules.glimpses import is_plain
from haulier.contexts.tracking.otep.rules.public import apart
from haulier.kernel.data.gather import joined
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, UTCDateTime, journal_table, tenant_table
from haulier.kernel.data.work import Conflict, Work

_document = msgspec.json.Encoder().encode

NUMBER_MAX = 100
PARTITIONS = 16
"""Of the events on PostgreSQL: of 10 million, the index of each fits into memory."""
COMMA: Any = literal_column("','")
CODE_MAX = 60

subjects = tenant_table(
    "tracking_subject",
    Column("tracking_number", String(NUMBER_MAX), nullable=False, unique=True),
    Column("profile", String(20), nullable=False),
    Column("order_id", Id),
    Column("order_ref", String(100)),
    Column("package_id", Id),
    Column("external_number", String(NUMBER_MAX)),
    Column("sscc", String(NUMBER_MAX)),
    Column("customer_id", Id),
    Column("contractor_id", Id),
    Column("driver_id", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_tracking_subject_order", "client_id", "order_id"),
    Index("ix_tracking_subject_ref", "client_id", "order_ref"),
)
"""What is tracked. The number is unique on the whole platform, because the public asks by number alone.

`customer_id`, `contractor_id` and `driver_id` are the users besides the office who may see everything about it.
"""

aliases = tenant_table(
    "tracking_alias",
    Column("number", String(NUMBER_MAX), nullable=False),
    Column("subject_id", Id, nullable=False, index=True),
    UniqueConstraint("client_id", "number"),
)
"""Numbers that carriers and partners know a subject by; unique within a client."""

events = journal_table(
    "tracking_event",
    Column("subject_id", Id, nullable=False),
    Column("event_id", String(40), nullable=False),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("status_code", String(CODE_MAX), nullable=False),
    Column("document", Text, nullable=False),
    Column("shown", Text),
    key=("subject_id", "event_id"),
    partitions=PARTITIONS,
)
"""What happened. `event_id` is made from what the event says, so the same event twice is one row.

`shown` is what anyone may see of it, in the protocol's own JSON: what nearly every reader gets, so it is written once and not
at each read. `document` is the rest: laid over `shown` it is `WHOLE`, the event as it was told, with the offset of its time.
Where `shown` is null `document` is whole: so are events that are not plain (`glimpses`), those of before there was a
`shown`, and those of before a change of what is public.
"""

WHOLE: Any = func.coalesce(
    func.substr(events.c.shown, 1, func.length(events.c.shown) - 1)
    .concat(",")
    .concat(func.substr(events.c.document, 2)),
    events.c.document,
)
"""A whole event in the protocol's own JSON. A member may stand in it twice: the later one counts, as msgspec reads it."""

corrections = journal_table(
    "tracking_correction",
    Column("subject_id", Id, nullable=False),
    Column("correction_id", String(40), nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("document", Text, nullable=False),
    key=("subject_id", "correction_id"),
)
"""Error declarations, whole as the events are: an event is taken back here, and stays where it was told."""

VIEWERS = {"customer": subjects.c.customer_id, "contractor": subjects.c.contractor_id, "driver": subjects.c.driver_id}
"""The column that must name a caller of this kind of account."""

_whole_events = (
    select(func.aggregate_strings(WHOLE, COMMA)).where(events.c.subject_id == subjects.c.id).scalar_subquery()
)
_declared = (
    select(func.aggregate_strings(corrections.c.document, COMMA))
    .where(corrections.c.subject_id == subjects.c.id)
    .scalar_subquery()
)
_told = (
    subjects.c.id,
    subjects.c.client_id,
    subjects.c.tracking_number,
    subjects.c.profile,
    subjects.c.order_id,
    subjects.c.order_ref,
    subjects.c.package_id,
    subjects.c.external_number,
    subjects.c.sscc,
    subjects.c.customer_id,
    subjects.c.contractor_id,
    subjects.c.driver_id,
    _whole_events.label("events"),
    _declared.label("corrections"),
)
_by_number = select(*_told).where(subjects.c.tracking_number == bindparam("number"))
_shown = (
    subjects.c.id,
    subjects.c.tracking_number,
    subjects.c.profile,
    subjects.c.external_number,
    subjects.c.sscc,
    subjects.c.order_id,
    subjects.c.package_id,
    joined(
        events.c.occurred_at,
        events.c.recorded_at,
        case((events.c.shown.is_not(None), events.c.status_code)),  # an experimental code may hold any sign
        events.c.shown,
        of=events.c.subject_id == subjects.c.id,
        label="events",
    ),
    exists().where(corrections.c.subject_id == subjects.c.id).label("corrected"),
)
_shown_by_number = select(*_shown).where(subjects.c.tracking_number == bindparam("number"))

_by_numbers = select(*_told).where(among(subjects.c.tracking_number, "numbers"))
_shown_by_numbers = select(*_shown).where(among(subjects.c.tracking_number, "numbers"))
_its_events = events.c.subject_id == subjects.c.id
_its_corrections = corrections.c.subject_id == subjects.c.id
_told_in_all = (
    select(func.count()).select_from(events).where(_its_events).scalar_subquery()
    + select(func.count()).select_from(corrections).where(_its_corrections).scalar_subquery()
)
_pulse = select(
    subjects.c.id,
    subjects.c.external_number,
    subjects.c.sscc,
    subjects.c.order_id,
    subjects.c.package_id,
    _told_in_all.label("events"),
    select(func.max(events.c.recorded_at)).where(_its_events).scalar_subquery().label("recorded_at"),
).where(subjects.c.tracking_number == bindparam("number"))

_known = (
    select(subjects.c.id, subjects.c.tracking_number)
    .where(among(subjects.c.tracking_number, "numbers"))
    .order_by(subjects.c.id)
    .with_for_update()
)
_recorded = select(events.c.subject_id, events.c.event_id).where(
    among(events.c.subject_id, "ids"), among(events.c.event_id, "event_ids")
)
_corrected = select(corrections.c.subject_id, corrections.c.correction_id).where(among(corrections.c.subject_id, "ids"))
_called = select(aliases.c.number, aliases.c.subject_id).where(among(aliases.c.number, "numbers"))
_alias = select(aliases.c.id, aliases.c.subject_id).where(aliases.c.number == bindparam("alias"))


async def journey(work: Work, number: str) -> Any | None:
    """A subject of whichever client with its events: their documents in no order, joined by commas; None for none."""
    return await work.unwalled("the public tracks by number alone").first(_by_number, number=number)


async def shown(work: Work, number: str) -> Any | None:
    """A subject of whichever client with its events, `joined`: when each occurred and was recorded, its code, what it shows."""
    return await work.unwalled("the public tracks by number alone").first(_shown_by_number, number=number)


async def shown_of_all(work: Work, numbers: Collection[str]) -> list[Any]:
    """The subjects of whichever clients with some numbers, with their events as in `shown`."""
    return await work.unwalled("the public tracks by number alone").all(_shown_by_numbers, numbers=sorted(set(numbers)))


async def journeys_of_all(work: Work, numbers: Collection[str]) -> list[Any]:
    """The subjects of whichever clients with some numbers, with their events as in `journey`."""
    return await work.unwalled("the public tracks by number alone").all(_by_numbers, numbers=sorted(set(numbers)))


async def pulse(work: Work, number: str) -> Any | None:
    """What changes when something new is told of a subject: how many `events` it has, those that take others back
    included, and when the last was recorded."""
    return await work.unwalled("the public tracks by number alone").first(_pulse, number=number)


async def journeys(
    work: Work,
    *,
    numbers: Collection[str],
    ids: Collection[int],
    order_ids: Collection[int],
    order_refs: Collection[str],
    viewer: tuple[str, int] | None,
) -> list[Any]:
    """The subjects of this client that are asked for, with their events as in `journey`.

    `viewer` is a kind of account and a user: only what they may see is found.
    """
    given = {"tracking_number": numbers, "id": ids, "order_id": order_ids, "order_ref": order_refs}
    asked = {name: list(values) for name, values in given.items() if values}
    params: dict[str, Any] = {f"these_{name}": values for name, values in asked.items()}
    statement = select(*_told).where(or_(false(), *(among(subjects.c[name], f"these_{name}") for name in asked)))
    if viewer is not None:
        account, params["viewer"] = viewer
        statement = statement.where(VIEWERS[account] == bindparam("viewer"))
    return await work.all(statement.order_by(subjects.c.id), **params)


async def subjects_called(work: Work, numbers: Collection[str]) -> dict[str, int]:
    """The ids of this client's subjects that carriers and partners know by some numbers."""
    rows = await work.all(_called, numbers=list(numbers)) if numbers else []
    return {row.number: row.subject_id for row in rows}


async def known(work: Work, numbers: Collection[str]) -> dict[str, int]:
    """The ids of this client's subjects among some numbers, locked until the transaction ends."""
    return {row.tracking_number: row.id for row in await work.all(_known, numbers=list(numbers))}


async def add_subjects(work: Work, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Write new subjects; returns the ids by number. Those that a parallel call wrote first are found instead.

    A number that another client has is missing from the answer.
    """
    found: dict[str, int] = {}
    missing = {row["tracking_number"]: row for row in sorted(rows, key=itemgetter("tracking_number"))}
    for _ in range(2):
        try:
            async with work.savepoint():
                ids = await work.insert_many(subjects, list(missing.values()))
        except Conflict:
            found |= await known(work, missing)
            missing = {number: row for number, row in missing.items() if number not in found}
        else:
            return found | dict(zip(missing, ids, strict=True))
    return found


async def recorded(work: Work, subject_ids: Collection[int], event_ids: Collection[str]) -> set[tuple[int, str]]:
    """Which of some events are there already, as (subject, event id)."""
    rows = await work.all(_recorded, ids=list(subject_ids), event_ids=list(event_ids))
    return {(row.subject_id, row.event_id) for row in rows}


def event_row(subject_id: int, event: Event) -> dict[str, Any]:
    """The row of an event. It was recorded, so its `recorded_at` is there."""
    shown, document = apart(event) if is_plain(event) else (None, event)
    return {
        "subject_id": subject_id,
        "event_id": event.event_id,
        "occurred_at": event.occurred_at,
        "recorded_at": event.recorded_at,
        "status_code": event.status_code,
        "document": _document(document).decode(),
        "shown": shown and _document(shown).decode(),
    }


async def corrected(work: Work, subject_ids: Collection[int]) -> set[tuple[int, str]]:
    """The corrections of some subjects, as (subject, correction id)."""
    rows = await work.all(_corrected, ids=list(subject_ids))
    return {(row.subject_id, row.correction_id) for row in rows}


async def add_corrections(work: Work, rows: Mapping[tuple[int, str], Correction], at: datetime) -> None:
    """Write corrections that are not there yet, by (subject, correction id)."""
    documents = [
        {"subject_id": subject, "correction_id": id, "recorded_at": at, "document": _document(each).decode()}
        for (subject, id), each in rows.items()
    ]
    await work.insert_many(corrections, documents)


async def add_events(work: Work, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write events that are not there yet."""
    await work.insert_many(events, rows)


async def change_subjects(work: Work, where: Mapping[str, Collection[Any]], **values: Any) -> int:
    """Change columns of the subjects whose column is among some values. Returns how many."""
    ways = [among(subjects.c[name], f"these_{name}") for name in where]
    params = {f"these_{name}": list(among_these) for name, among_these in where.items()}
    return await work.run(update(subjects).where(or_(*ways)).values(**values), **params)


async def add_alias(work: Work, subject_id: int, number: str) -> bool:
    """Give a subject one more number. False when another subject of this client has it."""
    held = await work.first(_alias, alias=number)
    if held is None:
        await work.insert(aliases, number=number, subject_id=subject_id)
        return True
    return held.subject_id == subject_id
