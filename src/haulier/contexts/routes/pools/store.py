"""The table of contractor rules."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, Select, String, bindparam, func, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class ContractorRuleRow(Record, table="contractor_rule", items=[Index(None, "client_id", "contractor_id")]):
    """A contractor rule."""

    contractor_id: Reference
    name: Annotated[str, String(NAME_MAX)]
    postal_prefixes: list[str]
    order_types: list[str]
    skills: list[str]
    max_weight_g: BigInt | None
    weekdays: list[int]
    active: bool
    created_at: datetime


rules = ContractorRuleRow.table
plain_columns(rules, "name", "postal_prefixes", "order_types", "skills", "weekdays")


_active_rules = select(rules).where(rules.c.contractor_id == bindparam("contractor"), rules.c.active.is_(True))


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
