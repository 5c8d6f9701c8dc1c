"""Users: written, looked up and listed."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select, update

from haulier.contexts.identity.accounts.store.tables import clients, users
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.folded_text import has_words


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
_one = select(*_listed, users.c.password_hash).where(users.c.id == bindparam("user"))
_locked = _one.with_for_update()
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
    """The users of this client among some ids."""
    return await work.all(_some, UserFactsRow, ids=list(ids)) if ids else []


async def get_user_row(work: UnitOfWork, user_id: int, *, lock: bool = False) -> UserRow | None:
    """A user of this client, or None."""
    return await work.first(_locked if lock else _one, UserRow, user=user_id)


async def get_user_by_email(work: UnitOfWork, email: str) -> UserWithClientRow | None:
    """The user of any client who signs in with an address, with their client; None when there is none."""
    return await work.without_tenant_filter("sign-in is by e-mail alone").first(
        _by_email, UserWithClientRow, address=email
    )


async def lock_active_admins(work: UnitOfWork, admin: str) -> list[int]:
    """The active admins of this client, locked: two of them cannot disable each other at the same time."""
    return [row.id for row in await work.all(_admins, admin=admin)]


_FILTERS = {"account": users.c.account == bindparam("account"), "active": users.c.active == bindparam("active")}


async def list_user_rows(
    work: UnitOfWork, *, account: str | None, active: bool | None, text: str | None, limit: int, offset: int
) -> tuple[Sequence[UserListRow], int]:
    """A page of this client's users, by name, and how many match in all."""
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
    """Write a user. Returns the id. Raises `UniqueConflict` when the e-mail address is taken."""
    return await work.insert(users, **values)


async def update_user_row(work: UnitOfWork, user_id: int, **values: Any) -> int:
    """Change columns of a user of this client. Returns how many rows were changed (0 or 1)."""
    return await work.run(update(users).where(users.c.id == bindparam("user")).values(**values), user=user_id)


async def update_password_hash(work: UnitOfWork, user_id: int, password_hash: str) -> None:
    """Keep a fresh hash of the same password, at sign-in."""
    await update_user_row(
        work.without_tenant_filter("sign-in is by e-mail alone"), user_id, password_hash=password_hash
    )
