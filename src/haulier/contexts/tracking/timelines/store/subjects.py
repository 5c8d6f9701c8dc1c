"""Statements of subjects and their numbers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import starmap
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from sqlalchemy import bindparam, case, exists, false, func, literal_column, or_, select, update
from sqlalchemy.sql.base import Executable

from haulier.contexts.tracking.timelines.rules import make_number_key
from haulier.contexts.tracking.timelines.store.tables import (
    WHOLE_EVENT,
    LockedSubjectRow,
    PublicSubjectRow,
    SubjectFingerprintRow,
    SubjectKeyRow,
    SubjectOwnerRow,
    SubjectRow,
    aliases,
    corrections,
    events,
    numbers,
    subjects,
)
from haulier.kernel.data.aggregates import delimited_agg
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.records import columns

VIEWER_COLUMNS = {
    "customer": subjects.c.customer_id,
    "contractor": subjects.c.contractor_id,
    "driver": subjects.c.driver_id,
}
"""The column that must name a caller of this kind of account."""

Numbered = TypeVar("Numbered", bound=SubjectKeyRow)

PUBLIC_BY_NUMBER = "the public tracks by number alone, and the number says whose it is"
_COMMA: Any = literal_column("','")
_its_events = events.c.subject_id == subjects.c.id
_its_corrections = corrections.c.subject_id == subjects.c.id
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
    subjects.c.replaced_by,
    select(func.aggregate_strings(WHOLE_EVENT, _COMMA)).where(_its_events).scalar_subquery().label("events"),
    select(func.aggregate_strings(corrections.c.document, _COMMA))
    .where(_its_corrections)
    .scalar_subquery()
    .label("corrections"),
)
_is_numbered = subjects.c.number_key == bindparam("key")
_are_numbered = in_param(subjects.c.number_key, "keys")
_select_by_number = select(*_subject_columns).where(_is_numbered)
_select_by_numbers = select(*_subject_columns).where(_are_numbered).order_by(subjects.c.id)

_public_columns = (
    subjects.c.id,
    subjects.c.tracking_number,
    subjects.c.profile,
    subjects.c.external_number,
    subjects.c.sscc,
    subjects.c.order_id,
    subjects.c.package_id,
    subjects.c.replaced_by,
    delimited_agg(
        events.c.occurred_at,
        events.c.recorded_at,
        # An experimental code may contain the delimiter; such an event has no `shown`, so its code is left out.
        case((events.c.shown.is_not(None), events.c.status_code)),
        events.c.shown,
        of=_its_events,
        label="events",
    ),
    exists().where(_its_corrections).label("corrected"),
)
_select_public_by_number = select(*_public_columns).where(_is_numbered)
_select_public_by_numbers = select(*_public_columns).where(_are_numbered).order_by(subjects.c.id)

_entry_count = (
    select(func.count()).select_from(events).where(_its_events).scalar_subquery()
    + select(func.count()).select_from(corrections).where(_its_corrections).scalar_subquery()
)
_select_fingerprint = select(
    subjects.c.id,
    subjects.c.tracking_number,
    subjects.c.external_number,
    subjects.c.sscc,
    subjects.c.order_id,
    subjects.c.package_id,
    subjects.c.replaced_by,
    _entry_count.label("events"),
    select(func.max(events.c.recorded_at)).where(_its_events).scalar_subquery().label("recorded_at"),
).where(_is_numbered)

_lock_ids = (
    select(subjects.c.id, subjects.c.tracking_number)
    .where(in_param(subjects.c.tracking_number, "numbers"))
    .order_by(subjects.c.id)
    .with_for_update()
)
_locked_columns = (subjects.c.id, subjects.c.tracking_number, subjects.c.order_id, subjects.c.package_id)
_lock_numbered = select(*_locked_columns).where(_are_numbered).order_by(subjects.c.id).with_for_update()
_lock_subjects = (
    select(*_locked_columns)
    .where(or_(_are_numbered, in_param(subjects.c.id, "ids")))
    .order_by(subjects.c.id)
    .with_for_update()
)
_has_no_order = (subjects.c.order_id.is_(None), subjects.c.package_id.is_(None))
_is_unowned = (subjects.c.customer_id.is_(None), *_has_no_order)
_release_owner = (
    update(subjects)
    .where(_is_numbered, subjects.c.customer_id == bindparam("customer"), *_has_no_order)
    .values(customer_id=None)
)
_has_alias = exists().where(
    aliases.c.client_id == subjects.c.client_id,
    aliases.c.subject_id == subjects.c.id,
    in_param(aliases.c.number_key, "keys"),
)
_select_subject_owners = (
    select(
        subjects.c.id, subjects.c.tracking_number, subjects.c.order_id, subjects.c.package_id, subjects.c.customer_id
    )
    .where(or_(_are_numbered, _has_alias))
    .order_by(subjects.c.id)
)
_are_keys = in_param(numbers.c.number_key, "keys")
_select_number_owners = select(numbers.c.number, numbers.c.owner_client_id).where(_are_keys).order_by(numbers.c.id)
_select_owners = select(numbers.c.owner_client_id).where(_are_keys).distinct()
_select_owners_of_key = select(numbers.c.owner_client_id).where(numbers.c.number_key == bindparam("key")).distinct()
_select_aliases = (
    select(aliases.c.number, aliases.c.subject_id).where(in_param(aliases.c.number_key, "keys")).order_by(aliases.c.id)
)
_select_alias = select(aliases.c.id, aliases.c.subject_id).where(aliases.c.number == bindparam("alias"))


async def list_number_owners(work: UnitOfWork, key: str) -> list[int]:
    """Return the clients that track under a number of this key."""
    return [row.owner_client_id for row in await work.all(_select_owners_of_key, key=key)]


async def find_subject(work: UnitOfWork, owners: Iterable[int], number: str) -> SubjectRow | None:
    """Return the subject of a number in any spelling, with its events, or None.

    `owners` are the clients to search.
    """
    return _nearest(await _list_numbered(work, owners, _select_by_number, SubjectRow, number), number)


async def find_public_subject(work: UnitOfWork, owners: Iterable[int], number: str) -> PublicSubjectRow | None:
    """As `find_subject`, with the public side of its events."""
    return _nearest(await _list_numbered(work, owners, _select_public_by_number, PublicSubjectRow, number), number)


async def find_subject_fingerprint(
    work: UnitOfWork, owners: Iterable[int], number: str
) -> SubjectFingerprintRow | None:
    """Return a fingerprint of the subject that `find_subject` returns."""
    return _nearest(await _list_numbered(work, owners, _select_fingerprint, SubjectFingerprintRow, number), number)


async def _list_numbered(
    work: UnitOfWork, owners: Iterable[int], statement: Executable, row_type: type[Numbered], number: str
) -> list[Numbered]:
    key = make_number_key(number)
    return [
        row
        for owner in owners
        for row in await work.for_tenant(owner, PUBLIC_BY_NUMBER).all(statement, row_type, key=key)
    ]


def _nearest(rows: Collection[Numbered], number: str) -> Numbered | None:
    """Return the subject with the exact number, else the oldest."""
    # Sorted here: it is nearly always one row, for which SQLite would build a temporary index.
    return min(rows, key=lambda row: (row.tracking_number != number, row.id), default=None)


def _number_keys(numbers: Iterable[str]) -> list[str]:
    return sorted({make_number_key(number) for number in numbers})


async def list_public_subjects(work: UnitOfWork, numbers: Collection[str]) -> list[PublicSubjectRow]:
    """Return subjects of any client that numbers may mean, with public events.

    Oldest first.
    """
    return await _list_of_all_clients(work, _select_public_by_numbers, PublicSubjectRow, numbers)


async def list_subjects_of_all_clients(work: UnitOfWork, numbers: Collection[str]) -> list[SubjectRow]:
    """Return subjects of any client that numbers may mean, with their events.

    Oldest first.
    """
    return await _list_of_all_clients(work, _select_by_numbers, SubjectRow, numbers)


async def _list_of_all_clients(
    work: UnitOfWork, statement: Executable, row_type: type[Numbered], numbers: Collection[str]
) -> list[Numbered]:
    keys = _number_keys(numbers)
    owners = [row.owner_client_id for row in await work.all(_select_owners, keys=keys)]
    rows = [
        row
        for owner in owners
        for row in await work.for_tenant(owner, PUBLIC_BY_NUMBER).all(statement, row_type, keys=keys)
    ]
    return sorted(rows, key=attrgetter("id"))


async def list_subjects(
    work: UnitOfWork,
    *,
    numbers: Collection[str],
    ids: Collection[int],
    order_ids: Collection[int],
    order_refs: Collection[str],
    viewer: tuple[str, int] | None,
) -> list[SubjectRow]:
    """Return this client's subjects by numbers, ids and references, oldest first.

    `viewer` is a kind of account and a user: only their subjects are returned.
    """
    columns = {"number_key": _number_keys(numbers), "id": ids, "order_id": order_ids, "order_ref": order_refs}
    filters = {name: list(values) for name, values in columns.items() if values}
    params: dict[str, Any] = {f"these_{name}": values for name, values in filters.items()}
    statement = select(*_subject_columns).where(
        or_(false(), *(in_param(subjects.c[name], f"these_{name}") for name in filters))
    )
    if viewer is not None:
        account, params["viewer"] = viewer
        statement = statement.where(VIEWER_COLUMNS[account] == bindparam("viewer"))
    return await work.all(statement.order_by(subjects.c.id), SubjectRow, **params)


async def subject_ids_by_alias(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """Return subject ids by alias, as it is stored."""
    rows = await work.all(_select_aliases, keys=_number_keys(numbers)) if numbers else []
    return {row.number: row.subject_id for row in rows}


async def lock_subject_ids(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """Lock and return subject ids of this client by number."""
    rows = await work.all(_lock_ids, numbers=list(numbers)) if numbers else []
    return {row.tracking_number: row.id for row in rows}


async def lock_subjects(work: UnitOfWork, numbers: Collection[str], ids: Collection[int]) -> list[LockedSubjectRow]:
    """Lock and return this client's subjects by numbers or ids, oldest first."""
    keys = _number_keys(numbers)
    if not ids:  # nearly always; PostgreSQL then needs one index instead of two
        return await work.all(_lock_numbered, LockedSubjectRow, keys=keys)
    return await work.all(_lock_subjects, LockedSubjectRow, keys=keys, ids=list(ids))


async def number_owners(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """Return the owning client of numbers that some may mean, oldest first."""
    rows = await work.all(_select_number_owners, keys=_number_keys(numbers))
    return {row.number: row.owner_client_id for row in rows}


async def insert_subjects(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Insert subjects. Return the ids by number.

    Concurrently inserted ones are read instead. Numbers of other clients are missing.
    """
    ids = await insert_new_subjects(work, rows)
    return ids | await lock_subject_ids(work, {row["tracking_number"] for row in rows} - ids.keys())


async def insert_new_subjects(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Insert subjects. Return the ids of those with a free number, by number."""
    # Sorted, so that concurrent calls with the same numbers do not deadlock.
    in_order = sorted(rows, key=itemgetter("tracking_number"))
    values = {
        row["tracking_number"]: columns(subjects, row, number_key=make_number_key(row["tracking_number"]))
        for row in in_order
    }
    number_rows = [_number_row(work, row) for row in values.values()]
    free = await work.insert_new(numbers, number_rows, returning=("number",))
    new = await work.insert_new(subjects, [values[row.number] for row in free], returning=("tracking_number", "id"))
    return {row.tracking_number: row.id for row in new}


def _number_row(work: UnitOfWork, subject: Mapping[str, Any]) -> dict[str, Any]:
    named = {"number": subject["tracking_number"], "number_key": subject["number_key"]}
    return {**named, "owner_client_id": work.client_id}


async def update_subjects(work: UnitOfWork, where: Mapping[str, Collection[Any]], **values: Any) -> int:
    """Update subjects matching column values. Return their number."""
    conditions = [in_param(subjects.c[name], f"these_{name}") for name in where]
    params = {f"these_{name}": list(column_values) for name, column_values in where.items()}
    return await work.run(update(subjects).where(or_(*conditions)).values(**values), **params)


async def set_owner(
    work: UnitOfWork, where: Mapping[str, Collection[Any]], customer_id: int | None, *, only_unowned: bool
) -> None:
    """Set the customer who owns subjects.

    With `only_unowned`, subjects with an order or an owner are skipped.
    """
    statement = update(subjects).where(or_(*(in_param(subjects.c[name], f"these_{name}") for name in where)))
    if only_unowned:
        statement = statement.where(*_is_unowned)
    params = {f"these_{name}": list(column_values) for name, column_values in where.items()}
    await work.run(statement.values(customer_id=customer_id), **params)


async def release_owner(work: UnitOfWork, number_key: str, customer_id: int) -> None:
    """Remove a customer as owner of a number that belongs to no order."""
    await work.run(_release_owner, key=number_key, customer=customer_id)


async def list_subject_owners(work: UnitOfWork, numbers: Collection[str]) -> list[SubjectOwnerRow]:
    """Return the owners of this client's subjects that numbers or aliases may mean."""
    return await work.all(_select_subject_owners, SubjectOwnerRow, keys=_number_keys(numbers)) if numbers else []


async def insert_alias(work: UnitOfWork, subject_id: int, number: str) -> bool:
    """Add a number to a subject. Return False if another subject of the client has it."""
    alias = await work.first(_select_alias, alias=number)
    if alias is None:
        await work.insert(aliases, **_alias_row(number, subject_id))
        return True
    return alias.subject_id == subject_id


async def insert_aliases(work: UnitOfWork, subject_ids: Mapping[str, int]) -> None:
    """Add numbers to subjects.

    If a concurrent call wrote one of them, none is written.
    """
    # Every document that names an alias contains it, so the next push writes what is missing.
    await work.insert_many_once(aliases, list(starmap(_alias_row, subject_ids.items())))


def _alias_row(number: str, subject_id: int) -> dict[str, Any]:
    return {"number": number, "number_key": make_number_key(number), "subject_id": subject_id}
