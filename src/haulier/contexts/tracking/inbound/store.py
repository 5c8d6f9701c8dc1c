"""The SQL of inbound events: whose timelines they belong to, who carries what, and what was told before.

The tables of subjects, numbers and events are those of the timelines, written by both.
"""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, bindparam, or_, select

from haulier.contexts.tracking.timelines.store import WHOLE, aliases, events, subjects
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, tenant_table
from haulier.kernel.data.work import Conflict, Work

CARRIER_MAX = 120

carriage = tenant_table(
    "tracking_carriage",
    Column("subject_id", Id, nullable=False),
    Column("carrier", String(CARRIER_MAX), nullable=False),
    UniqueConstraint("subject_id", "carrier"),
)
"""To whom a subject was given, where that is known: then nobody else may tell of it."""

_called = select(aliases.c.number, aliases.c.subject_id).where(among(aliases.c.number, "numbers"))
_found = (
    select(subjects.c.id, subjects.c.tracking_number, subjects.c.order_id, subjects.c.package_id)
    .where(or_(among(subjects.c.tracking_number, "numbers"), among(subjects.c.id, "ids")))
    .order_by(subjects.c.id)
    .with_for_update()
)
_taken = select(subjects.c.tracking_number, subjects.c.client_id).where(among(subjects.c.tracking_number, "numbers"))
_carried = select(carriage.c.subject_id, carriage.c.carrier).where(among(carriage.c.subject_id, "ids"))
_before = select(events.c.subject_id, events.c.event_id, events.c.occurred_at, events.c.status_code).where(
    among(events.c.subject_id, "ids"), among(events.c.event_id, "event_ids")
)
_everything = select(events.c.subject_id, WHOLE.label("document")).where(among(events.c.subject_id, "ids"))
_one = select(subjects.c.id).where(subjects.c.tracking_number == bindparam("number"))


async def called(work: Work, numbers: Collection[str]) -> dict[str, int]:
    """The ids of this client's subjects that carriers and partners know by some numbers."""
    return {row.number: row.subject_id for row in await work.all(_called, numbers=list(numbers))}


async def found(work: Work, numbers: Collection[str], ids: Collection[int]) -> list[Any]:
    """This client's subjects with some numbers or ids, locked until the transaction ends."""
    return await work.all(_found, numbers=list(numbers), ids=list(ids))


async def taken(work: Work, numbers: Collection[str]) -> dict[str, int]:
    """Which numbers somebody tracks under, and the client it is."""
    unwalled = work.unwalled("a number is unique on the whole platform")
    return {row.tracking_number: row.client_id for row in await unwalled.all(_taken, numbers=list(numbers))}


async def carriers(work: Work, subject_ids: Collection[int]) -> dict[int, set[str]]:
    """To whom some subjects were given; those of whom that is not known are missing."""
    given: dict[int, set[str]] = {}
    for row in await work.all(_carried, ids=list(subject_ids)):
        given.setdefault(row.subject_id, set()).add(row.carrier)
    return given


async def before(work: Work, subject_ids: Collection[int], event_ids: Collection[str]) -> list[Any]:
    """What was told before under some event ids: subject, event id, time and status."""
    return await work.all(_before, ids=list(subject_ids), event_ids=list(event_ids))


async def documents(work: Work, subject_ids: Collection[int]) -> list[Any]:
    """Every event of some subjects, whole."""
    return await work.all(_everything, ids=list(subject_ids)) if subject_ids else []


async def add_names(work: Work, names: Mapping[str, int]) -> None:
    """Give subjects further numbers. Where a parallel call gave one of them first, none is given: it will be told again."""
    try:
        async with work.savepoint():
            await work.insert_many(aliases, [{"number": number, "subject_id": id} for number, id in names.items()])
    except Conflict:
        return


async def entrust(work: Work, number: str, carrier: str) -> bool:
    """Note that a subject of this client was given to a carrier. False where there is no such subject."""
    subject_id = await work.value(_one, number=number)
    if subject_id is None:
        return False
    known = await carriers(work, [subject_id])
    if carrier not in known.get(subject_id, set()):
        await work.insert(carriage, subject_id=subject_id, carrier=carrier)
    return True
