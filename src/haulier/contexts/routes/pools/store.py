"""The table of contractor rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Select, String, bindparam, delete, func, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

rules = tenant_table(
    "contractor_rule",
    Column("contractor_id", Id, nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("postal_prefixes", Json, nullable=False),
    Column("order_types", Json, nullable=False),
    Column("skills", Json, nullable=False),
    Column("max_weight_g", BigInteger),
    Column("weekdays", Json, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Index(None, "client_id", "contractor_id"),
)
plain_columns(rules, "name", "postal_prefixes", "order_types", "skills", "weekdays")


class ContractorRuleRow(Row):
    """A contractor rule."""

    id: int
    contractor_id: int
    postal_prefixes: list[str]
    order_types: list[str]
    skills: list[str]
    max_weight_g: int | None
    weekdays: list[int]
    active: bool


_rule_by_id = select(rules).where(rules.c.id == bindparam("rule"))
_active_rules = select(rules).where(rules.c.contractor_id == bindparam("contractor"), rules.c.active.is_(True))
_delete_rule = delete(rules).where(rules.c.id == bindparam("rule"))


async def insert_contractor_rule(work: UnitOfWork, **values: Any) -> int:
    """Write a rule. Returns the id."""
    return await work.insert(rules, active=True, **values)


async def update_contractor_rule_row(work: UnitOfWork, rule_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a rule."""
    if values:
        await work.run(update(rules).where(rules.c.id == bindparam("rule")).values(**values), rule=rule_id)


async def delete_contractor_rule_row(work: UnitOfWork, rule_id: int) -> bool:
    """Delete a rule. False when there is none."""
    return bool(await work.run(_delete_rule, rule=rule_id))


async def get_contractor_rule_row(work: UnitOfWork, rule_id: int) -> ContractorRuleRow | None:
    """A rule of this client, or None."""
    return await work.first(_rule_by_id, ContractorRuleRow, rule=rule_id)


async def list_active_contractor_rules(work: UnitOfWork, contractor_id: int) -> Sequence[ContractorRuleRow]:
    """The rules of a contractor that are in force."""
    return await work.all(_active_rules, ContractorRuleRow, contractor=contractor_id)


async def list_contractor_rule_rows(
    work: UnitOfWork, contractor_id: int | None, *, limit: int, offset: int
) -> tuple[Sequence[ContractorRuleRow], int]:
    """A page of rules, newest first, and how many there are."""
    params = {"contractor": contractor_id} if contractor_id is not None else {}
    listed = _of_contractor(select(rules), contractor_id).order_by(rules.c.id.desc())
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, ContractorRuleRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_of_contractor(select(func.count()).select_from(rules), contractor_id), **params)


def _of_contractor(statement: Select[Any], contractor_id: int | None) -> Select[Any]:
    if contractor_id is None:
        return statement
    return statement.where(rules.c.contractor_id == bindparam("contractor"))
