"""Users: written, found and listed."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Select, bindparam, func, select, update

from haulier.contexts.access.accounts.store.tables import clients, users
from haulier.kernel.data.statement import among, holds, pattern
from haulier.kernel.data.work import Work

_facts = (users.c.id, users.c.name, users.c.email, users.c.account, users.c.active)
_seen = (*_facts, users.c.hidden_prices, users.c.created_at)
_some = select(*_facts).where(among(users.c.id, "ids"))
_one = select(*_seen, users.c.password_hash).where(users.c.id == bindparam("user"))
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


async def some(work: Work, ids: Collection[int]) -> Sequence[Any]:
    """The users of this client among some ids."""
    return await work.all(_some, ids=list(ids)) if ids else []


async def one(work: Work, user_id: int, *, lock: bool = False) -> Any:
    """A user of this client, or None."""
    return await work.first(_locked if lock else _one, user=user_id)


async def by_email(work: Work, email: str) -> Any:
    """The user of any client who signs in with an address, with their client; None when there is none."""
    return await work.unwalled("sign-in is by e-mail alone").first(_by_email, address=email)


async def active_admins(work: Work, admin: str) -> list[int]:
    """The active admins of this client, locked: so that two of them cannot disable each other at once."""
    return [row.id for row in await work.all(_admins, admin=admin)]


async def page(
    work: Work, *, account: str | None, active: bool | None, text: str | None, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """A page of this client's users, by name, and how many match in all."""
    given: dict[str, Any] = {"account": account, "active": active, "like": pattern(text.lower()) if text else None}
    params = {name: value for name, value in given.items() if value is not None}
    names = frozenset(params)
    listed = _matching(select(*_seen), names).order_by(users.c.name, users.c.id)
    rows = await work.all(
        listed.limit(bindparam("page_size")).offset(bindparam("skipped")), **params, page_size=limit, skipped=offset
    )
    return rows, await work.value(_matching(select(func.count()).select_from(users), names), **params)


def _matching(statement: Select[*tuple[Any, ...]], names: frozenset[str]) -> Select[*tuple[Any, ...]]:
    if "account" in names:
        statement = statement.where(users.c.account == bindparam("account"))
    if "active" in names:
        statement = statement.where(users.c.active == bindparam("active"))
    if "like" in names:
        statement = statement.where(holds(func.lower(users.c.name), "like") | holds(users.c.email, "like"))
    return statement


async def add(work: Work, **values: Any) -> int:
    """Write a user. Returns the id. Raises `Conflict` when the e-mail address is taken."""
    return await work.insert(users, **values)


async def change(work: Work, user_id: int, **values: Any) -> int:
    """Change columns of a user of this client. Returns how many rows were changed (0 or 1)."""
    return await work.run(update(users).where(users.c.id == bindparam("user")).values(**values), user=user_id)


async def keep_hash(work: Work, user_id: int, password_hash: str) -> None:
    """Keep a fresh hash of the same password, at sign-in."""
    await change(work.unwalled("sign-in is by e-mail alone"), user_id, password_hash=password_hash)
