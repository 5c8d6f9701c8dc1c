"""Tables and statements of accounts: users."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, or_, select, update

from haulier.contexts.custom_fields.public import Document
from haulier.contexts.identity.accounts.store.tables import clients, members, tokens, users
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.folded_text import has_words


class ClientRow(Row):
    """Columns of a client."""

    id: int
    code: str
    name: str
    time_zone: str
    currency: str
    country: str | None
    modules: list[str]
    features: list[str]
    settings: dict[str, Any]


class ClientListRow(Row):
    """A client as operators see it."""

    id: int
    code: str
    name: str
    time_zone: str
    currency: str
    created_at: datetime
    settings: dict[str, Any]
    active_users: int


_active_users = (
    select(func.count())
    .where(users.c.client_id == clients.c.id, users.c.active.is_(True))
    .correlate(clients)
    .scalar_subquery()
    .label("active_users")
)
_all_clients = select(
    *(clients.c[name] for name in ("id", "code", "name", "time_zone", "currency", "created_at", "settings")),
    _active_users,
).order_by(clients.c.code)
_one_client = select(clients).where(clients.c.id == bindparam("client"))
_by_code = select(clients.c.id).where(clients.c.code == bindparam("sought"))
_codes = select(clients.c.code)
_countries = select(clients.c.country).where(clients.c.country.is_not(None)).distinct()
_ids = select(clients.c.id).order_by(clients.c.id)
_client_locked = _one_client.with_for_update()


async def list_all_client_codes(work: UnitOfWork) -> set[str]:
    """Return the codes of all clients."""
    return {row.code for row in await work.all(_codes)}


async def list_client_countries(work: UnitOfWork) -> frozenset[str]:
    """Return the countries of all clients."""
    return frozenset(row.country for row in await work.all(_countries))


async def list_client_rows(work: UnitOfWork) -> Sequence[ClientListRow]:
    """Return all clients by code, with their number of active users."""
    return await work.all(_all_clients, ClientListRow)


async def list_client_ids(work: UnitOfWork) -> list[int]:
    """Return the ids of all clients."""
    return [row.id for row in await work.all(_ids)]


async def get_client_row(work: UnitOfWork, client_id: int, *, lock: bool = False) -> ClientRow | None:
    """Return a client, or None."""
    return await work.first(_client_locked if lock else _one_client, ClientRow, client=client_id)


async def get_client_id(work: UnitOfWork, code: str) -> int | None:
    """Return the id of the client with a code, or None."""
    return await work.value(_by_code, sought=code)


async def insert_client(work: UnitOfWork, **values: Any) -> int:
    """Write a client. Returns the id. Raises `UniqueConflict` when the code is taken."""
    return await work.insert(clients, **values)


async def update_client_row(work: UnitOfWork, client_id: int, **values: Any) -> None:
    """Change columns of a client."""
    await work.run(update(clients).where(clients.c.id == bindparam("client")).values(**values), client=client_id)


MIN_PHONE_DIGITS = 7
"""Minimum digits of a telephone number; fewer are an id or a code."""
MAX_PHONE_DIGITS = 9
"""Number of last digits that are compared, so that country codes and trunk zeros do not matter."""
MAX_ID_DIGITS = 15
_PHONE_MARKS = frozenset("+-./() ")


class CustomerRow(Row):
    """A customer with identifying data."""

    id: int
    name: str
    email: str
    active: bool
    hidden_prices: list[str]
    phone: str | None
    customer_code: str | None
    custom_fields: Document | None


_customers = (
    select(
        users.c.id,
        users.c.name,
        users.c.email,
        users.c.active,
        users.c.hidden_prices,
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
    """Return the number of matching customers, and a page of them by name.

    Without a text, all match. `among` limits the ids.
    """
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
    """Return matching customers with ids above one, by id.

    Without a text, all match. `among` limits the ids.
    """
    matching = (_customers.where(_is_meant(text)) if text else _customers).where(users.c.id > bindparam("after_id"))
    found: dict[str, Any] = {} if among is None else {"among": sorted(among)}
    if found:
        matching = matching.where(in_param(users.c.id, "among"))
    return await work.all(matching.order_by(users.c.id).limit(limit), CustomerRow, after_id=after, **found)


def _is_meant(text: str) -> ColumnElement[bool]:
    """Return the condition that a text matches a customer.

    By id, code, or part of name, email address or telephone number.
    """
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


class MemberRow(Row):
    """Member data of a user; null if unset."""

    user_id: int
    scopes: list[str] | None
    role: str | None
    language: str | None
    time_zone: str | None
    phone: str | None
    customer_code: str | None
    note: str | None
    custom_fields: Document | None


_of = select(members).where(members.c.user_id == bindparam("user"))


async def get_member(work: UnitOfWork, user_id: int) -> MemberRow | None:
    """Return the member data of a user of this client, or None."""
    return await work.first(_of, MemberRow, user=user_id)


async def upsert_member(work: UnitOfWork, user_id: int, *, client_id: int | None = None, **values: Any) -> None:
    """Insert or update member data of a user; omitted values are kept.

    `client_id` names the client in a unit of work without the tenant filter. Raises `UniqueConflict` when another
    customer of the client has the code.
    """
    if values:
        owner = {} if client_id is None else {"client_id": client_id}
        await work.upsert(members, ("user_id",), user_id=user_id, **owner, **values)


class UserFactsRow(Row):
    """A user in short."""

    id: int
    name: str
    email: str
    account: str
    active: bool


class UserListRow(UserFactsRow):
    """A user as they stand in a list."""

    hidden_prices: list[str]
    created_at: datetime


class UserRow(UserListRow):
    """A user of a client."""

    password_hash: str | None


class UserWithClientRow(UserFactsRow):
    """A user of any client, with the client."""

    client_id: int
    password_hash: str | None
    code: str
    client_name: str


_facts = (users.c.id, users.c.name, users.c.email, users.c.account, users.c.active)
_listed = (*_facts, users.c.hidden_prices, users.c.created_at)
_some = select(*_facts).where(in_param(users.c.id, "ids"))
_one_user = select(*_listed, users.c.password_hash).where(users.c.id == bindparam("user"))
_user_locked = _one_user.with_for_update()
_by_email = (
    select(*_facts, users.c.client_id, users.c.password_hash, clients.c.code, clients.c.name.label("client_name"))
    .join(clients, clients.c.id == users.c.client_id)
    .where(users.c.email == bindparam("address"))
)
_admins = (
    select(users.c.id)
    .where(users.c.account == bindparam("admin"), users.c.active.is_(True))
    .order_by(users.c.id)
    .with_for_update()
)


async def list_users_by_id(work: UnitOfWork, ids: Collection[int]) -> Sequence[UserFactsRow]:
    """Return the users of this client among some ids."""
    return await work.all(_some, UserFactsRow, ids=list(ids)) if ids else []


async def get_user_row(work: UnitOfWork, user_id: int, *, lock: bool = False) -> UserRow | None:
    """Return a user of this client, or None."""
    return await work.first(_user_locked if lock else _one_user, UserRow, user=user_id)


async def get_user_by_email(work: UnitOfWork, email: str) -> UserWithClientRow | None:
    """Return the user of any client with an email address, and their client, or None."""
    return await work.without_tenant_filter("sign-in is by e-mail alone").first(
        _by_email, UserWithClientRow, address=email
    )


async def lock_active_admins(work: UnitOfWork, admin: str) -> list[int]:
    """Lock and return the active admins, so that two cannot disable each other."""
    return [row.id for row in await work.all(_admins, admin=admin)]


_FILTERS = {"account": users.c.account == bindparam("account"), "active": users.c.active == bindparam("active")}


async def list_user_rows(
    work: UnitOfWork, *, account: str | None, active: bool | None, text: str | None, limit: int, offset: int
) -> tuple[Sequence[UserListRow], int]:
    """Return a page of this client's users, by name, and how many match in all."""
    filters: dict[str, Any] = {"account": account, "active": active}
    params = {name: value for name, value in filters.items() if value is not None}
    clauses = [_FILTERS[name] for name in params] + ([has_words(text, users.c.name, users.c.email)] if text else [])
    listed = select(*_listed).where(*clauses).order_by(users.c.name, users.c.id)
    rows = await work.all(
        listed.limit(bindparam("page_size")).offset(bindparam("skipped")),
        UserListRow,
        **params,
        page_size=limit,
        skipped=offset,
    )
    return rows, await work.value(select(func.count()).select_from(users).where(*clauses), **params)


async def insert_user(work: UnitOfWork, **values: Any) -> int:
    """Insert a user. Return the id. Raises `UniqueConflict` if the email is taken."""
    return await work.insert(users, **values)


async def update_user_row(work: UnitOfWork, user_id: int, **values: Any) -> int:
    """Update a user of this client. Return the number of changed rows (0 or 1)."""
    return await work.run(update(users).where(users.c.id == bindparam("user")).values(**values), user=user_id)


async def delete_users_except(work: UnitOfWork, pattern: str) -> int:
    """Delete users whose email address does not match a LIKE pattern.

    Deletes their tokens too. Returns the number of users.
    """
    others = select(users.c.id).where(users.c.email.not_like(bindparam("pattern")))
    ids = [row.id for row in await work.all(others, pattern=pattern)]
    for table, column in ((tokens, tokens.c.user_id), (members, members.c.user_id), (users, users.c.id)):
        await work.run(delete(table).where(in_param(column, "ids")), ids=ids)
    return len(ids)


async def update_password_hash(work: UnitOfWork, user_id: int, password_hash: str) -> None:
    """Keep a fresh hash of the same password, at sign-in."""
    await update_user_row(
        work.without_tenant_filter("sign-in is by e-mail alone"), user_id, password_hash=password_hash
    )
