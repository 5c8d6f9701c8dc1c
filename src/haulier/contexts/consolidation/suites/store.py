"""The table of suites."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import String, UniqueConstraint, bindparam, delete, func, select, update

from haulier.contexts.consolidation.suites.rules import SUITE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class SuiteRow(
    Record,
    table="consolidation_suite",
    items=[UniqueConstraint("client_id", "customer_id"), UniqueConstraint("client_id", "code_key")],
):
    """A customer's suite."""

    customer_id: Reference
    code: Annotated[str, String(SUITE_MAX)]
    code_key: Annotated[str, String(SUITE_MAX)]
    created_at: datetime


suites = SuiteRow.table
plain_columns(suites, "code", "code_key")
_by_keys = select(suites).where(in_param(suites.c.code_key, "keys")).order_by(suites.c.id)
_any = select(suites.c.id).limit(1)
_delete = delete(suites).where(suites.c.customer_id == bindparam("customer"))


async def insert_suite(work: UnitOfWork, values: Mapping[str, Any]) -> SuiteRow | None:
    """Insert a suite; None if the customer has one or its code is taken.

    Waits for the call that holds the code.
    """
    written = await work.insert_new(suites, [values], SuiteRow)
    return written[0] if written else None


async def update_suite(work: UnitOfWork, customer_id: int, code: str, code_key: str) -> None:
    """Give a suite another code. Raises `UniqueConflict`."""
    changed = update(suites).where(suites.c.customer_id == bindparam("customer")).values(code=code, code_key=code_key)
    await work.run(changed, customer=customer_id)


async def list_suites_of_keys(work: UnitOfWork, keys: Collection[str]) -> list[SuiteRow]:
    """Return the suites among some codes, by their keys."""
    return await work.all(_by_keys, SuiteRow, keys=list(keys)) if keys else []


async def list_suite_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[list[SuiteRow], int]:
    """Return a page of suites by code, and the total."""
    conditions = [suites.c[name] == value for name, value in wanted.items()]
    page = select(suites).where(*conditions).order_by(suites.c.code_key).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(suites).where(*conditions))
    return await work.all(page, SuiteRow), total


async def delete_suite(work: UnitOfWork, customer_id: int) -> int:
    """Delete a suite. Return the number of deleted rows."""
    return await work.run(_delete, customer=customer_id)


async def find_any_suite(work: UnitOfWork) -> int | None:
    """Return the id of a suite, or None if this client has none."""
    return await work.value(_any)
