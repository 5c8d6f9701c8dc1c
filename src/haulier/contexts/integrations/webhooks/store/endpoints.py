"""Endpoints: the addresses that clients gave, their subscriptions, secrets and health."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, Text, UniqueConstraint, bindparam, delete, select, update

from haulier.contexts.integrations.webhooks.rules.retries import EndpointHealth
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

MAX_URL_LENGTH = 1000
MAX_DESCRIPTION_LENGTH = 200

endpoints = tenant_table(
    "webhook_endpoint",
    Column("url", String(MAX_URL_LENGTH), nullable=False),
    Column("events", Json, nullable=False),
    Column("description", String(MAX_DESCRIPTION_LENGTH)),
    Column("customer_id", Id),
    Column("enabled", Boolean, nullable=False),
    Column("set_up_by", Id),
    Column("set_up_with", Id),
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
"""One for each address of a client. The secrets are encrypted where there is a key; only the answer that creates one shows it.

`set_up_by` is the user who set it up and `set_up_with` the API token they used, if any. Both are null for endpoints older than
these columns: the business itself set them up.

`disabled_at` is set when the application switched it off, and cleared when it is switched on again.
"""
plain_columns(endpoints, "url", "events", "description", "sealed_secret", "sealed_old_secret", "disabled_why")


class EndpointSecretsRow(Row):
    """What signs for an endpoint."""

    sealed_secret: str | None
    sealed_old_secret: str | None
    overlap_until: datetime | None


class EndpointRow(EndpointSecretsRow):
    """An endpoint with its settings, health and secrets."""

    id: int
    url: str
    events: list[str]
    description: str | None
    customer_id: int | None
    enabled: bool
    set_up_by: int | None
    set_up_with: int | None
    created_at: datetime
    keyed_at: datetime
    failures: int
    failing_since: datetime | None
    rests_until: datetime | None
    disabled_at: datetime | None
    disabled_why: str | None


class ActiveEndpointRow(Row):
    """An endpoint that is switched on, as far as messages are addressed."""

    id: int
    url: str
    events: list[str]
    customer_id: int | None
    set_up_by: int | None
    set_up_with: int | None


_all_endpoints = select(endpoints).order_by(endpoints.c.id)
_all_endpoints_locked = _all_endpoints.with_for_update()
_active_endpoints = select(
    *(endpoints.c[name] for name in ("id", "url", "events", "customer_id", "set_up_by", "set_up_with"))
).where(endpoints.c.enabled.is_(True))
_endpoint_by_id = select(endpoints).where(endpoints.c.id == bindparam("endpoint"))
_endpoint_by_id_locked = _endpoint_by_id.with_for_update()
_endpoint_by_url = select(endpoints).where(endpoints.c.url == bindparam("address"))
_delete_endpoints = delete(endpoints).where(in_param(endpoints.c.id, "ids"))
_CHANGED_COLUMNS = (
    *("events", "description", "customer_id", "enabled", "failures", "failing_since", "rests_until"),
    *("disabled_at", "disabled_why", "set_up_by", "set_up_with"),
)
_update_endpoint = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"))
    .values({name: bindparam(f"new_{name}", type_=endpoints.c[name].type) for name in _CHANGED_COLUMNS})
)
_SECRET_COLUMNS = ("sealed_secret", "keyed_at", "sealed_old_secret", "overlap_until")
_update_secrets = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"))
    .values({name: bindparam(f"new_{name}", type_=endpoints.c[name].type) for name in _SECRET_COLUMNS})
)
_update_health = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"))
    .values({name: bindparam(f"new_{name}", type_=endpoints.c[name].type) for name in EndpointHealth.__struct_fields__})
)
_disable = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"), endpoints.c.enabled.is_(True))
    .values(enabled=False, disabled_at=bindparam("at"), disabled_why=bindparam("why"))
)


async def list_webhook_endpoint_rows(work: UnitOfWork, *, lock: bool = False) -> list[EndpointRow]:
    """The endpoints of this client, oldest first; locked until the transaction ends when asked."""
    return await work.all(_all_endpoints_locked if lock else _all_endpoints, EndpointRow)


async def list_active_webhook_endpoint_rows(work: UnitOfWork) -> list[ActiveEndpointRow]:
    """The endpoints of this client that are switched on, without their secrets."""
    return await work.all(_active_endpoints, ActiveEndpointRow)


async def get_webhook_endpoint_row(work: UnitOfWork, id: int, *, lock: bool = False) -> EndpointRow | None:
    """An endpoint, or None."""
    return await work.first(_endpoint_by_id_locked if lock else _endpoint_by_id, EndpointRow, endpoint=id)


async def find_webhook_endpoint_row_by_url(work: UnitOfWork, url: str) -> EndpointRow | None:
    """The endpoint with an address, or None."""
    return await work.first(_endpoint_by_url, EndpointRow, address=url)


async def insert_webhook_endpoints(work: UnitOfWork, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Write endpoints. Raises `UniqueConflict` for an address that exists."""
    return await work.insert_many(endpoints, rows)


async def update_webhook_endpoints(work: UnitOfWork, rows: Sequence[dict[str, Any]]) -> None:
    """Change the subscriptions and the health of endpoints."""
    await work.run_many(_update_endpoint, [_bound_columns(row, _CHANGED_COLUMNS) for row in rows])


async def delete_webhook_endpoints(work: UnitOfWork, ids: Collection[int]) -> None:
    """Delete endpoints; the log of their deliveries stays."""
    if ids:
        await work.run(_delete_endpoints, ids=list(ids))


async def update_webhook_endpoint_secret(work: UnitOfWork, id: int, **values: Any) -> None:
    """Give an endpoint another secret."""
    await work.run(_update_secrets, **_bound_columns({"id": id, **values}, _SECRET_COLUMNS))


async def update_webhook_endpoint_health(work: UnitOfWork, id: int, health: EndpointHealth) -> None:
    """Write the health of an endpoint."""
    values = {name: getattr(health, name) for name in EndpointHealth.__struct_fields__}
    await work.run(_update_health, **_bound_columns({"id": id, **values}, tuple(values)))


async def disable_webhook_endpoint(work: UnitOfWork, id: int, **values: Any) -> bool:
    """Switch an endpoint off, and say why. False when it was off already."""
    return await work.run(_disable, endpoint=id, **values) > 0


def _bound_columns(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {"endpoint": row["id"], **{f"new_{name}": row[name] for name in names}}
