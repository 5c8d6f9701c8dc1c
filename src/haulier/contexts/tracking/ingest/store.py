"""The SQL of inbound events: whose timelines they belong to, who carries what, and what was told before.

The tables of subjects, numbers and events are those of the timelines, written by both.
"""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, bindparam, or_, select

from haulier.contexts.tracking.timelines.store import WHOLE_EVENT, aliases, events, subjects
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, tenant_table
from haulier.kernel.data.unit_of_work import UniqueConflict, UnitOfWork

CARRIER_MAX = 120

carrier_assignments = tenant_table(
    "tracking_carriage",
    Column("subject_id", Id, nullable=False),
    Column("carrier", String(CARRIER_MAX), nullable=False),
    UniqueConstraint("subject_id", "carrier"),
)
"""To whom a subject was given, where that is known: then nobody else may tell of it."""

_select_aliases = select(aliases.c.number, aliases.c.subject_id).where(in_param(aliases.c.number, "numbers"))
_lock_subjects = (
    select(subjects.c.id, subjects.c.tracking_number, subjects.c.order_id, subjects.c.package_id)
    .where(or_(in_param(subjects.c.tracking_number, "numbers"), in_param(subjects.c.id, "ids")))
    .order_by(subjects.c.id)
    .with_for_update()
)
_select_number_owners = select(subjects.c.tracking_number, subjects.c.client_id).where(
    in_param(subjects.c.tracking_number, "numbers")
)
_select_carriers = select(carrier_assignments.c.subject_id, carrier_assignments.c.carrier).where(
    in_param(carrier_assignments.c.subject_id, "ids")
)
_select_recorded_events = select(
    events.c.subject_id, events.c.event_id, events.c.occurred_at, events.c.status_code
).where(in_param(events.c.subject_id, "ids"), in_param(events.c.event_id, "event_ids"))
_select_event_documents = select(events.c.subject_id, WHOLE_EVENT.label("document")).where(
    in_param(events.c.subject_id, "ids")
)
_select_subject_id = select(subjects.c.id).where(subjects.c.tracking_number == bindparam("number"))


async def subject_ids_by_carrier_number(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """The ids of this client's subjects that carriers and partners know by some numbers."""
    return {row.number: row.subject_id for row in await work.all(_select_aliases, numbers=list(numbers))}


async def lock_subjects(work: UnitOfWork, numbers: Collection[str], ids: Collection[int]) -> list[Any]:
    """This client's subjects with some numbers or ids, locked until the transaction ends."""
    return await work.all(_lock_subjects, numbers=list(numbers), ids=list(ids))


async def number_owners(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """Which numbers somebody tracks under, and the client it is."""
    without_tenant_filter = work.without_tenant_filter("a number is unique on the whole platform")
    return {
        row.tracking_number: row.client_id
        for row in await without_tenant_filter.all(_select_number_owners, numbers=list(numbers))
    }


async def carriers_by_subject(work: UnitOfWork, subject_ids: Collection[int]) -> dict[int, set[str]]:
    """To whom some subjects were given; those of whom that is not known are missing."""
    given: dict[int, set[str]] = {}
    for row in await work.all(_select_carriers, ids=list(subject_ids)):
        given.setdefault(row.subject_id, set()).add(row.carrier)
    return given


async def list_recorded_events(work: UnitOfWork, subject_ids: Collection[int], event_ids: Collection[str]) -> list[Any]:
    """What was told before under some event ids: subject, event id, time and status."""
    return await work.all(_select_recorded_events, ids=list(subject_ids), event_ids=list(event_ids))


async def list_event_documents(work: UnitOfWork, subject_ids: Collection[int]) -> list[Any]:
    """Every event of some subjects, whole."""
    return await work.all(_select_event_documents, ids=list(subject_ids)) if subject_ids else []


async def insert_aliases(work: UnitOfWork, names: Mapping[str, int]) -> None:
    """Give subjects further numbers. Where a parallel call gave one of them first, none is given: it will be told again."""
    try:
        async with work.savepoint():
            await work.insert_many(aliases, [{"number": number, "subject_id": id} for number, id in names.items()])
    except UniqueConflict:
        return


async def insert_carrier_assignment(work: UnitOfWork, number: str, carrier: str) -> bool:
    """Note that a subject of this client was given to a carrier. False where there is no such subject."""
    subject_id = await work.value(_select_subject_id, number=number)
    if subject_id is None:
        return False
    known = await carriers_by_subject(work, [subject_id])
    if carrier not in known.get(subject_id, set()):
        await work.insert(carrier_assignments, subject_id=subject_id, carrier=carrier)
    return True
