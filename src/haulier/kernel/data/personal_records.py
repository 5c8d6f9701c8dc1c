"""Search, count, erasure and deletion of personal data in short transactions."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    LargeBinary,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from haulier.kernel.data.personal_data import (
    PersonalData,
    PersonKey,
    PersonKeys,
    RecordKind,
    RetentionRule,
    list_personal_data,
    with_keys,
)
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import is_tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

BATCH = 500
"""Number of rows read, erased or deleted at a time."""
MAX_COUNTED_BATCHES = 20
"""Limit of batches that a preview examines, because a user waits for it."""
MAX_KEY_STEPS = 5
"""Maximum number of tables from one key to another: user, driver, contacts, orders, stops."""
OWNER_COLUMNS = ("owner_client_id", "client_id")
"""Owner columns of tables outside the tenant filter."""

Position = tuple[Any, ...]


async def resolve_person(work: UnitOfWork, start: PersonKeys) -> PersonKeys:
    """Return all keys of a person that can be derived from the given ones."""
    keys = start
    leading = [held for held in list_personal_data() if held.gives]
    for _ in range(MAX_KEY_STEPS):
        known = keys
        for held in leading:
            async for rows in _pages(work, held, known):
                keys = with_keys(keys, {key: {getattr(row, name) for row in rows} for name, key in held.gives.items()})
        if keys == known:
            break
    return keys


async def count_records(work: UnitOfWork, keys: PersonKeys) -> dict[RecordKind, int]:
    """Count the rows of a person that would be erased or deleted, by kind, if any."""
    counts: dict[RecordKind, int] = {}
    for held in list_personal_data():
        counts[held.kind] = counts.get(held.kind, 0) + await _count(work, held, keys)
    return {kind: count for kind, count in counts.items() if count}


async def list_in_use(work: UnitOfWork, keys: PersonKeys) -> dict[RecordKind, list[int]]:
    """Return the ids of a person's rows that are still in use, by kind."""
    used: dict[RecordKind, list[int]] = {}
    for held in list_personal_data():
        if held.in_use is not None:
            ids = [row.id async for rows in _pages(work, held, keys, held.in_use) for row in rows]
            used.setdefault(held.kind, []).extend(ids)
    return {kind: ids for kind, ids in used.items() if ids}


async def read_records(work: UnitOfWork, held: PersonalData, keys: PersonKeys) -> AsyncIterator[dict[str, Any]]:
    """Yield a person's rows of a table for export, without secrets and digests."""
    hidden = (
        {column.name for column in held.table.c if isinstance(column.type, LargeBinary)}
        | held.secret
        | {*OWNER_COLUMNS}
    )
    async for rows in _pages(work, held, keys):
        for row in rows:
            plain = {name: value for name, value in row._asdict().items() if name not in hidden}
            yield held.export(row, keys) if held.export else plain


async def erase_batch(
    call: Any, held: PersonalData, keys: PersonKeys, after: Position | None
) -> tuple[int, Position | None]:
    """Erase the next rows of a table.

    Returns their number and the next position; None at the end.
    """
    rows, place = await _page(call.work, held, keys, after)
    if held.remove:
        await held.remove(call, [row.id for row in rows])
        return len(rows), place
    if held.erased is None:
        return await _delete_rows(call.work, held.table, rows), place
    changed = [new for row in rows if (new := _erased_values(held, row, keys))]
    if held.write:
        await held.write(call, changed)
    else:
        await call.work.run_many(_update_statement(held), changed)
    return len(changed), place


def _erased_values(held: PersonalData, row: Any, keys: PersonKeys) -> dict[str, Any] | None:
    """Return the parameters that erase a row, or None if it is already erased."""
    values = {name: new(row, keys) if callable(new) else new for name, new in (held.erased or {}).items()}
    if all(getattr(row, name) == value for name, value in values.items()):
        return None
    key = {f"key_{column.name}": getattr(row, column.name) for column in held.table.primary_key}
    return {f"new_{name}": value for name, value in values.items()} | key


def _update_statement(held: PersonalData) -> Any:
    columns = [held.table.c[name] for name in held.erased or ()]
    new = {column.name: bindparam(f"new_{column.name}", type_=column.type) for column in columns}
    return update(held.table).where(_is_row(held.table)).values(new)


async def _delete_rows(work: UnitOfWork, table: Table, rows: Sequence[Any]) -> int:
    names = [column.name for column in table.primary_key]
    await work.run_many(
        delete(table).where(_is_row(table)), [{f"key_{name}": getattr(row, name) for name in names} for row in rows]
    )
    return len(rows)


def _is_row(table: Table) -> ColumnElement[bool]:
    return and_(*(column == bindparam(f"key_{column.name}", type_=column.type) for column in table.primary_key))


async def _count(work: UnitOfWork, held: PersonalData, keys: PersonKeys) -> int:
    condition = _condition(work, held, keys)
    if condition is None or held.erased == {}:
        return 0
    if held.erased is None and held.matches is None:
        return await work.value(select(func.count()).select_from(held.table).where(condition))
    pages = _pages(work, held, keys)
    return sum([1 async for rows in pages for row in rows if held.erased is None or _erased_values(held, row, keys)])


async def _pages(
    work: UnitOfWork, held: PersonalData, keys: PersonKeys, only: ColumnElement[bool] | None = None
) -> AsyncIterator[list[Any]]:
    after: Position | None = None
    while True:
        rows, after = await _page(work, held, keys, after, only)
        if rows:
            yield rows
        if after is None:
            return


async def _page(
    work: UnitOfWork,
    held: PersonalData,
    keys: PersonKeys,
    after: Position | None,
    only: ColumnElement[bool] | None = None,
) -> tuple[list[Any], Position | None]:
    """Return a person's next rows in key order and the next position; None at the end."""
    condition = _condition(work, held, keys)
    if condition is None:
        return [], None
    statement = select(held.table).where(condition)
    rows, place = await _next_rows(work, held.table, statement if only is None else statement.where(only), after)
    return [row for row in rows if held.matches is None or held.matches(row, keys)], place


async def _next_rows(
    work: UnitOfWork, table: Table, statement: Select[Any], after: Position | None
) -> tuple[list[Any], Position | None]:
    key = list(table.primary_key)
    if after is not None:
        statement = statement.where(_is_after(key, after))
    rows = await work.all(statement.order_by(*key).limit(BATCH))
    last = tuple(getattr(rows[-1], column.name) for column in key) if len(rows) == BATCH else None
    return rows, last


def _is_after(key: Sequence[Column[Any]], after: Position) -> ColumnElement[bool]:
    first, rest = key[0], key[1:]
    return or_(first > after[0], and_(first == after[0], _is_after(rest, after[1:]))) if rest else first > after[0]


def _condition(work: UnitOfWork, held: PersonalData, keys: PersonKeys) -> ColumnElement[bool] | None:
    condition = held.find(keys)
    return None if condition is None else _owned(work, held.table, condition)


def _owned(work: UnitOfWork, table: Table, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Limit a condition to this client's rows in tables outside the tenant filter."""
    owner = next((name for name in OWNER_COLUMNS if name in table.c), None)
    if owner is None or is_tenant_table(table):
        return condition
    column = table.c[owner]
    # Without a client, match rows that belong to none. Idempotency keys of anonymous callers are stored under 0.
    return and_(condition, column == work.client_id if work.client_id else or_(column.is_(None), column == 0))


async def count_due(
    work: UnitOfWork, rule: RetentionRule, since: datetime | None, before: datetime
) -> tuple[int, bool]:
    """Count the rows that a retention rule would delete or erase.

    The second value is True if there are more.

    `before` is the age limit. `since` is the rule's progress and only applies to rules with a root, whose rows stay.
    Of very many rows, only the first batches are counted.
    """
    if rule.root is None:
        table = rule.since.table
        return await work.value(select(func.count()).select_from(table).where(_due(work, rule, None, before))), False
    count, after = 0, None
    for _ in range(MAX_COUNTED_BATCHES):
        keys, after = await _due_keys(work, rule, since, before, after)
        if keys:
            keys = await resolve_person(work, keys)
            count += sum([await _count(work, held, keys) for held in _erased_with(rule.kind)])
        if after is None:
            break
    return count, after is not None


async def apply_rule_batch(
    call: Any, rule: RetentionRule, since: datetime | None, before: datetime, after: Position | None
) -> tuple[int, Position | None]:
    """Delete or erase the next due rows.

    Returns their number and the next position; None at the end.
    """
    if rule.root is None:
        return await _delete_due(call, rule, before)
    keys, after = await _due_keys(call.work, rule, since, before, after)
    if not keys:
        return 0, after
    keys, count = await resolve_person(call.work, keys), 0
    for held in _erased_with(rule.kind):
        count += await _erase_all(call, held, keys)
    return count, after


def _erased_with(kind: RecordKind) -> list[PersonalData]:
    return [held for held in list_personal_data() if held.kind is kind or kind in held.goes_with]


async def _erase_all(call: Any, held: PersonalData, keys: PersonKeys) -> int:
    count, after = await erase_batch(call, held, keys, None)
    while after is not None:
        more, after = await erase_batch(call, held, keys, after)
        count += more
    return count


async def _due_keys(
    work: UnitOfWork, rule: RetentionRule, since: datetime | None, before: datetime, after: Position | None
) -> tuple[PersonKeys, Position | None]:
    assert rule.root is not None
    table = rule.since.table
    rows, place = await _next_rows(work, table, select(table).where(_due(work, rule, since, before)), after)
    return with_keys({}, {PersonKey(rule.root): [row.id for row in rows]}), place


async def _delete_due(call: Any, rule: RetentionRule, before: datetime) -> tuple[int, Position | None]:
    work: UnitOfWork = call.work
    table = rule.since.table
    rows, place = await _next_rows(work, table, select(table).where(_due(work, rule, None, before)), None)
    if rule.remove:
        await rule.remove(call, [row.id for row in rows], before)
        return len(rows), place
    for child in rule.children:
        await work.run(delete(child.table).where(in_param(child, "ids")), ids=[row.id for row in rows])
    return await _delete_rows(work, table, rows), place


def _due(work: UnitOfWork, rule: RetentionRule, since: datetime | None, before: datetime) -> ColumnElement[bool]:
    conditions = [rule.since < before]
    conditions += [] if since is None else [rule.since >= since]
    conditions += [] if rule.only is None else [rule.only]
    return _owned(work, rule.since.table, and_(*conditions))
