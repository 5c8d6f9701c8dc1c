"""Customers: users of a client, looked up as people speak of them."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, or_, select

from haulier.contexts.custom_fields.public import Document
from haulier.contexts.identity.accounts.store.tables import members, users
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.folded_text import has_words

MIN_PHONE_DIGITS = 7
"""Fewer digits are an id or a code."""
MAX_PHONE_DIGITS = 9
"""Numbers are compared by so many last digits, so that country codes and trunk zeros do not matter."""
MAX_ID_DIGITS = 15
_PHONE_MARKS = frozenset("+-./() ")


class CustomerRow(Row):
    """A customer, and what the business knows them by."""

    id: int
    name: str
    email: str
    active: bool
    phone: str | None
    customer_code: str | None
    custom_fields: Document | None


_customers = (
    select(
        users.c.id,
        users.c.name,
        users.c.email,
        users.c.active,
        members.c.phone,
        members.c.customer_code,
        members.c.custom_fields,
    )
    .outerjoin(members, members.c.user_id == users.c.id)
    .where(users.c.account == Account.CUSTOMER.value)
)


async def list_customer_rows(
    work: UnitOfWork, text: str | None, *, limit: int, offset: int = 0, among: Collection[int] | None = None
) -> tuple[int, Sequence[CustomerRow]]:
    """How many customers a text means, all of them without one, and a page of them by name; of those `among` ids alone where
    some are given."""
    matching = _customers.where(_is_meant(text)) if text else _customers
    found: dict[str, Any] = {} if among is None else {"among": sorted(among)}
    if found:
        matching = matching.where(in_param(users.c.id, "among"))
    total = await work.value(select(func.count()).select_from(matching.subquery()), **found)
    page = matching.order_by(users.c.name, users.c.id).limit(limit).offset(offset)
    return total, await work.all(page, CustomerRow, **found) if total > offset else []


async def list_customer_rows_after(
    work: UnitOfWork, text: str | None, *, after: int, limit: int, among: Collection[int] | None = None
) -> Sequence[CustomerRow]:
    """Customers with ids above one, by id: those that a text means, or all; of those `among` ids alone where some are given."""
    matching = (_customers.where(_is_meant(text)) if text else _customers).where(users.c.id > bindparam("after_id"))
    found: dict[str, Any] = {} if among is None else {"among": sorted(among)}
    if found:
        matching = matching.where(in_param(users.c.id, "among"))
    return await work.all(matching.order_by(users.c.id).limit(limit), CustomerRow, after_id=after, **found)


def _is_meant(text: str) -> ColumnElement[bool]:
    """Whether a text is the customer's id or code, or a part of their name, e-mail address or telephone number."""
    sought = text.strip().lower()
    digits = "".join(c for c in sought if c.isascii() and c.isdecimal())
    ways = [
        has_words(text, users.c.name),
        users.c.email.contains(sought, autoescape=True),
        func.lower(members.c.customer_code) == sought,
    ]
    if digits and sought in {digits, f"#{digits}"} and len(digits) <= MAX_ID_DIGITS:
        ways.append(users.c.id == int(digits))
    if len(digits) >= MIN_PHONE_DIGITS and all(c.isdecimal() or c in _PHONE_MARKS for c in sought):
        ways.append(members.c.phone.contains(digits[-MAX_PHONE_DIGITS:]))
    return or_(*ways)
