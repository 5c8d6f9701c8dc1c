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

from haulier.contexts.otep.public import Correction, TrackingEvent, is_precomputable, split_public_fields
from haulier.kernel.data.aggregates import delimited_agg
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, append_only_table, tenant_table
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork

_encode_document = msgspec.json.Encoder().encode

NUMBER_MAX = 100
PARTITIONS = 16
"""Of the events on PostgreSQL: of 10 million, the index of each fits into memory."""
COMMA: Any = literal_column("','")
CODE_MAX = 60

subjects = tenant_table(
    "tracking_subject",
    Column("tracking_number", String(NUMBER_MAX), nullable=False, unique=True, info=VOLATILE),
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

events = append_only_table(
    "tracking_event",
    Column("subject_id", Id, nullable=False),
    Column("event_id", String(40), nullable=False, info=VOLATILE),
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
at each read. `document` is the rest: laid over `shown` it is `WHOLE_EVENT`, the event as it came, with the offset of its time.
Where `shown` is null `document` is whole: so are events whose place their code does not tell (`is_precomputable`), those of
before there was a `shown`, and those of before a change of what is public.
"""

WHOLE_EVENT: Any = func.coalesce(
    func.substr(events.c.shown, 1, func.length(events.c.shown) - 1)
    .concat(",")
    .concat(func.substr(events.c.document, 2)),
    events.c.document,
)
"""A whole event in the protocol's own JSON. A member may stand in it twice: the later one counts, as msgspec reads it."""

corrections = append_only_table(
    "tracking_correction",
    Column("subject_id", Id, nullable=False),
    Column("correction_id", String(40), nullable=False, info=VOLATILE),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("document", Text, nullable=False),
    key=("subject_id", "correction_id"),
)
"""Error declarations, whole as the events are: an event is taken back here, and stays where it was told."""

VIEWER_COLUMNS = {
    "customer": subjects.c.customer_id,
    "contractor": subjects.c.contractor_id,
    "driver": subjects.c.driver_id,
}
"""The column that must name a caller of this kind of account."""

_whole_events = (
    select(func.aggregate_strings(WHOLE_EVENT, COMMA)).where(events.c.subject_id == subjects.c.id).scalar_subquery()
)
_subject_corrections = (
    select(func.aggregate_strings(corrections.c.document, COMMA))
    .where(corrections.c.subject_id == subjects.c.id)
    .scalar_subquery()
)
_subject_columns = (
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
    _subject_corrections.label("corrections"),
)
_select_by_number = select(*_subject_columns).where(subjects.c.tracking_number == bindparam("number"))
_public_columns = (
    subjects.c.id,
    subjects.c.tracking_number,
    subjects.c.profile,
    subjects.c.external_number,
    subjects.c.sscc,
    subjects.c.order_id,
    subjects.c.package_id,
    delimited_agg(
        events.c.occurred_at,
        events.c.recorded_at,
        case((events.c.shown.is_not(None), events.c.status_code)),  # an experimental code may hold any sign
        events.c.shown,
        of=events.c.subject_id == subjects.c.id,
        label="events",
    ),
    exists().where(corrections.c.subject_id == subjects.c.id).label("corrected"),
)
_select_public_by_number = select(*_public_columns).where(subjects.c.tracking_number == bindparam("number"))

_select_by_numbers = select(*_subject_columns).where(in_param(subjects.c.tracking_number, "numbers"))
_select_public_by_numbers = select(*_public_columns).where(in_param(subjects.c.tracking_number, "numbers"))
_its_events = events.c.subject_id == subjects.c.id
_its_corrections = corrections.c.subject_id == subjects.c.id
_entry_count = (
    select(func.count()).select_from(events).where(_its_events).scalar_subquery()
    + select(func.count()).select_from(corrections).where(_its_corrections).scalar_subquery()
)
_select_fingerprint = select(
    subjects.c.id,
    subjects.c.external_number,
    subjects.c.sscc,
    subjects.c.order_id,
    subjects.c.package_id,
    _entry_count.label("events"),
    select(func.max(events.c.recorded_at)).where(_its_events).scalar_subquery().label("recorded_at"),
).where(subjects.c.tracking_number == bindparam("number"))

_lock_subject_ids = (
    select(subjects.c.id, subjects.c.tracking_number)
    .where(in_param(subjects.c.tracking_number, "numbers"))
    .order_by(subjects.c.id)
    .with_for_update()
)
_select_event_ids = select(events.c.subject_id, events.c.event_id).where(
    in_param(events.c.subject_id, "ids"), in_param(events.c.event_id, "event_ids")
)
_select_correction_ids = select(corrections.c.subject_id, corrections.c.correction_id).where(
    in_param(corrections.c.subject_id, "ids")
)
_select_aliases = select(aliases.c.number, aliases.c.subject_id).where(in_param(aliases.c.number, "numbers"))
_select_alias = select(aliases.c.id, aliases.c.subject_id).where(aliases.c.number == bindparam("alias"))


async def find_subject(work: UnitOfWork, number: str) -> Any | None:
    """A subject of whichever client with its events: their documents in no order, joined by commas; None for none."""
    return await work.without_tenant_filter("the public tracks by number alone").first(_select_by_number, number=number)


async def find_public_subject(work: UnitOfWork, number: str) -> Any | None:
    """A subject of whichever client with its events, `joined`: when each occurred and was recorded, its code, what it shows."""
    return await work.without_tenant_filter("the public tracks by number alone").first(
        _select_public_by_number, number=number
    )


async def list_public_subjects(work: UnitOfWork, numbers: Collection[str]) -> list[Any]:
    """The subjects of whichever clients with some numbers, with their events as in `find_public_subject`."""
    return await work.without_tenant_filter("the public tracks by number alone").all(
        _select_public_by_numbers, numbers=sorted(set(numbers))
    )


async def list_subjects_of_all_clients(work: UnitOfWork, numbers: Collection[str]) -> list[Any]:
    """The subjects of whichever clients with some numbers, with their events as in `find_subject`."""
    return await work.without_tenant_filter("the public tracks by number alone").all(
        _select_by_numbers, numbers=sorted(set(numbers))
    )


async def find_subject_fingerprint(work: UnitOfWork, number: str) -> Any | None:
    """What changes when something new is told of a subject: how many `events` it has, those that take others back
    included, and when the last was recorded."""
    return await work.without_tenant_filter("the public tracks by number alone").first(
        _select_fingerprint, number=number
    )


async def list_subjects(
    work: UnitOfWork,
    *,
    numbers: Collection[str],
    ids: Collection[int],
    order_ids: Collection[int],
    order_refs: Collection[str],
    viewer: tuple[str, int] | None,
) -> list[Any]:
    """The subjects of this client that are asked for, with their events as in `find_subject`.

    `viewer` is a kind of account and a user: only what they may see is found.
    """
    given = {"tracking_number": numbers, "id": ids, "order_id": order_ids, "order_ref": order_refs}
    asked = {name: list(values) for name, values in given.items() if values}
    params: dict[str, Any] = {f"these_{name}": values for name, values in asked.items()}
    statement = select(*_subject_columns).where(
        or_(false(), *(in_param(subjects.c[name], f"these_{name}") for name in asked))
    )
    if viewer is not None:
        account, params["viewer"] = viewer
        statement = statement.where(VIEWER_COLUMNS[account] == bindparam("viewer"))
    return await work.all(statement.order_by(subjects.c.id), **params)


async def subject_ids_by_alias(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """The ids of this client's subjects that carriers and partners know by some numbers."""
    rows = await work.all(_select_aliases, numbers=list(numbers)) if numbers else []
    return {row.number: row.subject_id for row in rows}


async def lock_subject_ids(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """The ids of this client's subjects among some numbers, locked until the transaction ends."""
    return {row.tracking_number: row.id for row in await work.all(_lock_subject_ids, numbers=list(numbers))}


async def insert_subjects(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Write new subjects; returns the ids by number. Those that a parallel call wrote first are found instead.

    A number that another client has is missing from the answer.
    """
    found: dict[str, int] = {}
    missing = {row["tracking_number"]: row for row in sorted(rows, key=itemgetter("tracking_number"))}
    for _ in range(2):
        try:
            async with work.savepoint():
                ids = await work.insert_many(subjects, list(missing.values()))
        except UniqueConflict:
            found |= await lock_subject_ids(work, missing)
            missing = {number: row for number, row in missing.items() if number not in found}
        else:
            return found | dict(zip(missing, ids, strict=True))
    return found


async def recorded_event_ids(
    work: UnitOfWork, subject_ids: Collection[int], event_ids: Collection[str]
) -> set[tuple[int, str]]:
    """Which of some events are there already, as (subject, event id)."""
    rows = await work.all(_select_event_ids, ids=list(subject_ids), event_ids=list(event_ids))
    return {(row.subject_id, row.event_id) for row in rows}


def to_event_row(subject_id: int, event: TrackingEvent) -> dict[str, Any]:
    """The row of an event. It was recorded, so its `recorded_at` is there."""
    shown, document = split_public_fields(event) if is_precomputable(event) else (None, event)
    return {
        "subject_id": subject_id,
        "event_id": event.event_id,
        "occurred_at": event.occurred_at,
        "recorded_at": event.recorded_at,
        "status_code": event.status_code,
        "document": _encode_document(document).decode(),
        "shown": shown and _encode_document(shown).decode(),
    }


async def recorded_correction_ids(work: UnitOfWork, subject_ids: Collection[int]) -> set[tuple[int, str]]:
    """The corrections of some subjects, as (subject, correction id)."""
    rows = await work.all(_select_correction_ids, ids=list(subject_ids))
    return {(row.subject_id, row.correction_id) for row in rows}


async def insert_corrections(work: UnitOfWork, rows: Mapping[tuple[int, str], Correction], at: datetime) -> None:
    """Write corrections that are not there yet, by (subject, correction id)."""
    documents = [
        {"subject_id": subject, "correction_id": id, "recorded_at": at, "document": _encode_document(each).decode()}
        for (subject, id), each in rows.items()
    ]
    await work.insert_many(corrections, documents)


async def insert_events(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write events that are not there yet."""
    await work.insert_many(events, rows)


async def update_subjects(work: UnitOfWork, where: Mapping[str, Collection[Any]], **values: Any) -> int:
    """Change columns of the subjects whose column is among some values. Returns how many."""
    ways = [in_param(subjects.c[name], f"these_{name}") for name in where]
    params = {f"these_{name}": list(among_these) for name, among_these in where.items()}
    return await work.run(update(subjects).where(or_(*ways)).values(**values), **params)


async def insert_alias(work: UnitOfWork, subject_id: int, number: str) -> bool:
    """Give a subject one more number. False when another subject of this client has it."""
    held = await work.first(_select_alias, alias=number)
    if held is None:
        await work.insert(aliases, number=number, subject_id=subject_id)
        return True
    return held.subject_id == subject_id
