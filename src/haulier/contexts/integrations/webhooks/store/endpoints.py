"""Addresses that clients gave: which events they want, what signs for them, and how they fare."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, Text, UniqueConstraint, bindparam, delete, func, select, update

from haulier.contexts.integrations.webhooks.rules.retrying import Health
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

URL_MAX = 1000
WORDS_MAX = 200

endpoints = tenant_table(
    "webhook_endpoint",
    Column("url", String(URL_MAX), nullable=False),
    Column("events", Json, nullable=False),
    Column("description", String(WORDS_MAX)),
    Column("customer_id", Id),
    Column("enabled", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("sealed_secret", Text, nullable=False),
    Column("keyed_at", UTCDateTime, nullable=False),
    Column("sealed_old_secret", Text),
    Column("overlap_until", UTCDateTime),
    Column("failures", Integer, nullable=False),
    Column("failing_since", UTCDateTime),
    Column("rests_until", UTCDateTime),
    Column("disabled_at", UTCDateTime),
    Column("disabled_why", String(20)),
    UniqueConstraint("client_id", "url"),
)
"""One for each address of a client. The secrets are sealed where there is a key; they are part of no answer but the first.

`disabled_at` is set where the house switched it off; whoever switches it on again clears it.
"""

_all = select(endpoints).order_by(endpoints.c.id)
_locked = _all.with_for_update()
_active = select(endpoints.c.id, endpoints.c.url, endpoints.c.events, endpoints.c.customer_id).where(
    endpoints.c.enabled.is_(True)
)
_one = select(endpoints).where(endpoints.c.id == bindparam("endpoint"))
_one_locked = _one.with_for_update()
_at = select(endpoints).where(endpoints.c.url == bindparam("address"))
_count = select(func.count()).select_from(endpoints)
_remove = delete(endpoints).where(among(endpoints.c.id, "ids"))
_CHANGED = (
    *("events", "description", "customer_id", "enabled", "failures", "failing_since", "rests_until"),
    *("disabled_at", "disabled_why"),
)
_change = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"))
    .values({name: bindparam(f"new_{name}", type_=endpoints.c[name].type) for name in _CHANGED})
)
_SECRETS = ("sealed_secret", "keyed_at", "sealed_old_secret", "overlap_until")
_rotate = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"))
    .values({name: bindparam(f"new_{name}", type_=endpoints.c[name].type) for name in _SECRETS})
)
_fare = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"))
    .values({name: bindparam(f"new_{name}", type_=endpoints.c[name].type) for name in Health.__struct_fields__})
)
_disable = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"), endpoints.c.enabled.is_(True))
    .values(enabled=False, disabled_at=bindparam("at"), disabled_why=bindparam("why"))
)


async def every(work: Work, *, lock: bool = False) -> list[Any]:
    """The endpoints of this client, oldest first; locked until the transaction ends when asked."""
    return await work.all(_locked if lock else _all)


async def active(work: Work) -> list[Any]:
    """The endpoints of this client that are switched on, without their secrets."""
    return await work.all(_active)


async def one(work: Work, id: int, *, lock: bool = False) -> Any | None:
    """An endpoint, or None."""
    return await work.first(_one_locked if lock else _one, endpoint=id)


async def at(work: Work, url: str) -> Any | None:
    """The endpoint with an address, or None."""
    return await work.first(_at, address=url)


async def add(work: Work, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Write endpoints. Raises `Conflict` for an address that is there."""
    return await work.insert_many(endpoints, rows)


async def change(work: Work, rows: Sequence[dict[str, Any]]) -> None:
    """Change what is asked for of endpoints, and how they fare."""
    await work.run_many(_change, [_new(row, _CHANGED) for row in rows])


async def remove(work: Work, ids: Collection[int]) -> None:
    """Take endpoints away; the log of what they got stays."""
    if ids:
        await work.run(_remove, ids=list(ids))


async def rotate(work: Work, id: int, **values: Any) -> None:
    """Give an endpoint another secret."""
    await work.run(_rotate, **_new({"id": id, **values}, _SECRETS))


async def note_health(work: Work, id: int, health: Health) -> None:
    """Write down how an endpoint fares."""
    values = {name: getattr(health, name) for name in Health.__struct_fields__}
    await work.run(_fare, **_new({"id": id, **values}, tuple(values)))


async def disable(work: Work, id: int, **values: Any) -> bool:
    """Switch an endpoint off, and say why. False when it was off already."""
    return await work.run(_disable, endpoint=id, **values) > 0


def _new(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {"endpoint": row["id"], **{f"new_{name}": row[name] for name in names}}
