"""Tables and statements of shipping rules."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    select,
    update,
)

from haulier.contexts.shipping.shipping_rules.contract import LOG_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class ShippingRuleRow(Record, table="shipping_rule"):
    """A rule. Conditions and outcome are documents of the contract."""

    position: int
    name: Annotated[str, String(NAME_MAX)]
    enabled: bool
    conditions: dict[str, Any]
    outcome: dict[str, Any]
    times_matched: int
    last_matched_at: datetime | None
    created_at: datetime
    updated_at: datetime


class ShippingRuleListRow(Record, table="shipping_rule_list", items=[UniqueConstraint("client_id")]):
    """Version of a business's list of rules. Changes of the list lock this row."""

    version: int


class ShippingRuleLogRow(
    Record,
    table="shipping_rule_log",
    items=[
        Index("ix_shipping_rule_log_newest", "client_id", "id"),
        Index("ix_shipping_rule_log_order", "client_id", "order_id"),
    ],
):
    """Settings that a rule made for an order. `outcome` holds these alone."""

    rule_id: Reference
    rule_name: Annotated[str, String(NAME_MAX)]
    order_id: Reference
    outcome: dict[str, Any]
    created_at: datetime


rules, lists, log = ShippingRuleRow.table, ShippingRuleListRow.table, ShippingRuleLogRow.table
plain_columns(rules, "name", "conditions", "outcome")
plain_columns(log, "rule_name", "outcome")

_all = select(rules).order_by(rules.c.position, rules.c.id)
_list = select(lists)
_next_version = update(lists).values(version=lists.c.version + 1)
_place = update(rules).where(rules.c.id == bindparam("rule")).values(position=bindparam("place"))
_count_use = (
    update(rules)
    .where(in_param(rules.c.id, "ids"))
    .values(times_matched=rules.c.times_matched + 1, last_matched_at=bindparam("now", type_=rules.c.created_at.type))
)
_last_kept = select(log.c.id).order_by(log.c.id.desc()).limit(1).offset(bindparam("kept")).scalar_subquery()
_trim_log = delete(log).where(log.c.id < _last_kept)
_last_position = select(func.max(rules.c.position))


async def list_rule_rows(work: UnitOfWork) -> list[ShippingRuleRow]:
    """Return all rules of the business, in order."""
    return await work.all(_all, ShippingRuleRow)


async def get_list_version(work: UnitOfWork) -> int:
    """Return the version of the list; 0 before the first rule."""
    row = await work.first(_list, ShippingRuleListRow)
    return row.version if row else 0


async def lock_list(work: UnitOfWork) -> int:
    """Lock the list until the transaction ends; return its version."""
    return (await ShippingRuleListRow.lock_or_insert(work, {"version": 0})).version


async def increase_version(work: UnitOfWork) -> None:
    """Increase the version of the list."""
    await work.run(_next_version)


async def last_position(work: UnitOfWork) -> int:
    """Return the position of the last rule; 0 without any."""
    return await work.value(_last_position) or 0


async def place_rules(work: UnitOfWork, rule_ids: Sequence[int]) -> None:
    """Set the positions of rules, from 1."""
    await work.run_many(_place, [{"rule": id, "place": place} for place, id in enumerate(rule_ids, 1)])


async def count_use(work: UnitOfWork, rule_ids: Collection[int], now: datetime) -> None:
    """Count an order for each rule."""
    await work.run(_count_use, ids=sorted(rule_ids), now=now)


async def write_log(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append to the log and delete its oldest entries beyond the limit."""
    await work.insert_many(log, rows)
    await work.run(_trim_log, kept=LOG_MAX - 1)


async def list_log(
    work: UnitOfWork, *, rule_id: int | None, order_id: int | None, limit: int, offset: int
) -> tuple[Sequence[ShippingRuleLogRow], int]:
    """Return a page of the log, newest first, and the total."""
    named = {"rule_id": rule_id, "order_id": order_id}
    params = {name: value for name, value in named.items() if value is not None}
    clauses: list[ColumnElement[bool]] = [log.c[name] == bindparam(name) for name in params]
    return await ShippingRuleLogRow.list_page(
        work, *clauses, order_by=[log.c.id.desc()], limit=limit, offset=offset, **params
    )
