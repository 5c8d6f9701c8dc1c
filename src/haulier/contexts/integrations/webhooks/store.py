"""Tables and statements of webhooks."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from haulier.contexts.integrations.webhooks.rules import EndpointHealth, WebhookDeliveryStatus
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, personal_data, plain_columns, retained
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
"""Endpoints by address and client. Secrets are encrypted if a key is configured; only the response that creates one
shows it. `set_up_by` is the user who set it up and `set_up_with` their API token, if any. Both are null for endpoints
older than these columns, which belong to the business. `disabled_at` is set when the application disables it, and
cleared when it is enabled again."""
plain_columns(endpoints, "url", "events", "description", "sealed_secret", "sealed_old_secret", "disabled_why")


class EndpointSecretsRow(Row):
    """Signing secrets of an endpoint."""

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
    """An enabled endpoint for addressing messages."""

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
_ENDPOINTS_SECRET_COLUMNS = ("sealed_secret", "keyed_at", "sealed_old_secret", "overlap_until")
_update_secrets = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("endpoint"))
    .values({name: bindparam(f"new_{name}", type_=endpoints.c[name].type) for name in _ENDPOINTS_SECRET_COLUMNS})
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
    """Return the endpoints of this client, oldest first, optionally locked."""
    return await work.all(_all_endpoints_locked if lock else _all_endpoints, EndpointRow)


async def list_active_webhook_endpoint_rows(work: UnitOfWork) -> list[ActiveEndpointRow]:
    """Return the endpoints of this client that are switched on, without their secrets."""
    return await work.all(_active_endpoints, ActiveEndpointRow)


async def get_webhook_endpoint_row(work: UnitOfWork, id: int, *, lock: bool = False) -> EndpointRow | None:
    """Return an endpoint, or None."""
    return await work.first(_endpoint_by_id_locked if lock else _endpoint_by_id, EndpointRow, endpoint=id)


async def find_webhook_endpoint_row_by_url(work: UnitOfWork, url: str) -> EndpointRow | None:
    """Return the endpoint with an address, or None."""
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
    await work.run(_update_secrets, **_bound_columns({"id": id, **values}, _ENDPOINTS_SECRET_COLUMNS))


async def update_webhook_endpoint_health(work: UnitOfWork, id: int, health: EndpointHealth) -> None:
    """Write the health of an endpoint."""
    values = {name: getattr(health, name) for name in EndpointHealth.__struct_fields__}
    await work.run(_update_health, **_bound_columns({"id": id, **values}, tuple(values)))


async def disable_webhook_endpoint(work: UnitOfWork, id: int, **values: Any) -> bool:
    """Disable an endpoint with a reason. Return False if it was already disabled."""
    return await work.run(_disable, endpoint=id, **values) > 0


def _bound_columns(row: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {"endpoint": row["id"], **{f"new_{name}": row[name] for name in names}}


MAX_EVENT_LENGTH, MAX_SUBJECT_LENGTH, MAX_MESSAGE_ID_LENGTH, MAX_FAULT_LENGTH = 60, 120, 60, 20

deliveries = tenant_table(
    "webhook_delivery",
    Column("endpoint_id", Id),
    Column("url", String(MAX_URL_LENGTH), nullable=False),
    Column("message_id", String(MAX_MESSAGE_ID_LENGTH), nullable=False),
    Column("event", String(MAX_EVENT_LENGTH), nullable=False),
    Column("subject", String(MAX_SUBJECT_LENGTH)),
    Column("sequence", BigInteger, nullable=False),
    Column("payload", Text, nullable=False),
    Column("status", String(20), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("next_attempt_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Column("last_status", Integer),
    Column("last_fault", String(MAX_FAULT_LENGTH)),
    Column("last_latency_ms", Integer),
    UniqueConstraint("client_id", "message_id", "url"),
    Index("ix_webhook_delivery_endpoint", "client_id", "endpoint_id", "id"),
    Index("ix_webhook_delivery_newest", "client_id", "id"),
    Index("ix_webhook_delivery_created", "created_at"),
)
"""Deliveries by message and address, with the posted body. `attempts` counts all attempts, `tries` those since the
delivery was last enqueued. An attempt has a number, so it is never counted twice."""

attempts = tenant_table(
    "webhook_attempt",
    Column("delivery_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", UTCDateTime, nullable=False),
    Column("status", Integer),
    Column("fault", String(MAX_FAULT_LENGTH)),
    Column("latency_ms", Integer, nullable=False),
    Column("response", Text, nullable=False),
    Column("replayed", Boolean, nullable=False),
    Index("ix_webhook_attempt_delivery", "client_id", "delivery_id", "number"),
    Index("ix_webhook_attempt_at", "at"),
)

ERASED_PAYLOAD = '{"erased":true}'
"""Body of a delivery about an erased person."""


def _is_about(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition that a delivery is about one of these records.

    Its subject is `order:17`, `tracking:HL0V…`.
    """
    kinds = {
        PersonKey.USER: "user",
        PersonKey.DRIVER: "driver",
        PersonKey.ORDER: "order",
        PersonKey.TRACKING_NUMBER: "tracking",
    }
    about = [f"{kind}:{value}" for key, kind in kinds.items() for value in keys.get(key, ())]
    return deliveries.c.subject.in_(sorted(about)) if about else None


personal_data(
    deliveries,
    RecordKind.WEBHOOK_DELIVERIES,
    find=_is_about,
    matches=lambda row, keys: row.ended_at is not None,
    erased={"payload": ERASED_PAYLOAD},
)
retained(
    RecordKind.WEBHOOK_DELIVERIES,
    deliveries.c.created_at,
    children=(attempts.c.delivery_id,),
    default_days=30,
)


class NewDeliveryRow(Row):
    """A delivery that was just written, or had been before."""

    id: int
    endpoint_id: int | None
    subject: str | None
    attempts: int


class DeliveryRow(Row):
    """A delivery without its body."""

    id: int
    endpoint_id: int | None
    url: str
    message_id: str
    event: str
    status: str
    attempts: int


class DeliveryWithBodyRow(DeliveryRow):
    """A delivery with the body as it is posted."""

    payload: str


class DeliveryToMakeRow(DeliveryWithBodyRow, EndpointSecretsRow):
    """A delivery with endpoint health and secrets.

    `enabled` is None if the endpoint is deleted.
    """

    tries: int
    last_status: int | None
    last_latency_ms: int | None
    enabled: bool | None
    set_up_by: int | None
    set_up_with: int | None
    failures: int
    failing_since: datetime | None
    rests_until: datetime | None


class AttemptRow(Row):
    """One request of a delivery."""

    number: int


_NEW_COLUMNS = (
    *("endpoint_id", "url", "message_id", "event", "subject", "sequence", "payload", "status", "attempts", "tries"),
    *("created_at", "next_attempt_at"),
)
_insert_if_absent = (
    insert(deliveries)
    .values({name: bindparam(name, type_=deliveries.c[name].type) for name in _NEW_COLUMNS})
    .on_conflict_do_nothing(index_elements=["client_id", "message_id", "url"])
)
_deliveries_of_messages = (
    select(
        deliveries.c.id, deliveries.c.endpoint_id, deliveries.c.subject, deliveries.c.sequence, deliveries.c.attempts
    )
    .where(in_param(deliveries.c.message_id, "messages"))
    .order_by(deliveries.c.sequence)
)
_HEALTH_COLUMNS = ("enabled", "set_up_by", "set_up_with", "failures", "failing_since", "rests_until")
_DELIVERIES_SECRET_COLUMNS = ("sealed_secret", "sealed_old_secret", "overlap_until")
_delivery_with_endpoint = (
    select(deliveries, *(endpoints.c[name] for name in (*_HEALTH_COLUMNS, *_DELIVERIES_SECRET_COLUMNS)))
    .join_from(deliveries, endpoints, endpoints.c.id == deliveries.c.endpoint_id, isouter=True)
    .where(deliveries.c.id == bindparam("delivery"))
)
_delivery_by_id = select(deliveries).where(deliveries.c.id == bindparam("delivery"))
_delivery_by_id_locked = _delivery_by_id.with_for_update()
_LISTED_COLUMNS = tuple(column for column in deliveries.c if column.name != "payload")
_attempts_of = select(attempts).where(attempts.c.delivery_id == bindparam("delivery")).order_by(attempts.c.number)
_OUTCOME_COLUMNS = (
    "status",
    "attempts",
    "tries",
    "next_attempt_at",
    "ended_at",
    "last_status",
    "last_fault",
    "last_latency_ms",
)
_update_after_attempt = (
    update(deliveries)
    .where(deliveries.c.id == bindparam("delivery"), deliveries.c.attempts == bindparam("before"))
    .values({name: bindparam(f"new_{name}", type_=deliveries.c[name].type) for name in _OUTCOME_COLUMNS})
)
_requeue = (
    update(deliveries)
    .where(in_param(deliveries.c.id, "ids"))
    .values(status=WebhookDeliveryStatus.PENDING.value, tries=0, next_attempt_at=bindparam("at"), ended_at=None)
)
_failed_since = (
    select(deliveries.c.id, deliveries.c.attempts, deliveries.c.endpoint_id, deliveries.c.subject)
    .where(deliveries.c.endpoint_id == bindparam("endpoint"), deliveries.c.created_at >= bindparam("since"))
    .where(deliveries.c.status.in_((WebhookDeliveryStatus.FAILED.value, WebhookDeliveryStatus.SKIPPED.value)))
    .order_by(deliveries.c.id)
    .limit(bindparam("most"))
)


async def insert_deliveries_if_absent(work: UnitOfWork, rows: Sequence[dict[str, Any]]) -> list[NewDeliveryRow]:
    """Insert deliveries; existing ones are unchanged.

    Returns all deliveries of these messages, in order.
    """
    await work.run_many(_insert_if_absent, rows)
    message_ids = sorted({row["message_id"] for row in rows})
    return await work.all(_deliveries_of_messages, NewDeliveryRow, messages=message_ids)


async def insert_webhook_delivery(work: UnitOfWork, **values: Any) -> int:
    """Write one delivery. Returns its id."""
    return await work.insert(deliveries, **values)


async def get_delivery_with_endpoint(work: UnitOfWork, id: int) -> DeliveryToMakeRow | None:
    """Return a delivery with endpoint health and secrets, or None.

    They are None if the endpoint was deleted.
    """
    return await work.first(_delivery_with_endpoint, DeliveryToMakeRow, delivery=id)


async def get_webhook_delivery_row(work: UnitOfWork, id: int, *, lock: bool = False) -> DeliveryWithBodyRow | None:
    """Return a delivery, or None."""
    return await work.first(_delivery_by_id_locked if lock else _delivery_by_id, DeliveryWithBodyRow, delivery=id)


async def list_delivery_attempt_rows(work: UnitOfWork, id: int) -> list[AttemptRow]:
    """Return the attempts at a delivery, oldest first."""
    return await work.all(_attempts_of, AttemptRow, delivery=id)


async def list_webhook_delivery_rows(
    work: UnitOfWork, limit: int, *, after: int | None, since: datetime | None, **filters: Any
) -> list[DeliveryRow]:
    """Return deliveries without bodies, newest first; optionally those before `after`."""
    statement = select(*_LISTED_COLUMNS).order_by(deliveries.c.id.desc()).limit(bindparam("most"))
    params: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    for name in params:
        statement = statement.where(deliveries.c[name] == bindparam(name))
    if after is not None:
        statement, params = statement.where(deliveries.c.id < bindparam("after")), {**params, "after": after}
    if since is not None:
        statement, params = statement.where(deliveries.c.created_at >= bindparam("since")), {**params, "since": since}
    return await work.all(statement, DeliveryRow, most=limit, **params)


async def update_delivery_after_attempt(work: UnitOfWork, id: int, before: int, **values: Any) -> bool:
    """Update a delivery after an attempt. Return False if it was already recorded."""
    changed = {f"new_{name}": values[name] for name in _OUTCOME_COLUMNS}
    return await work.run(_update_after_attempt, delivery=id, before=before, **changed) > 0


async def insert_delivery_attempt(work: UnitOfWork, **values: Any) -> None:
    """Write an attempt."""
    await work.insert(attempts, **values)


async def requeue_deliveries(work: UnitOfWork, ids: Collection[int], at: datetime) -> None:
    """Make deliveries pending again in any state; retry delays start over."""
    await work.run(_requeue, ids=list(ids), at=at)


async def list_failed_deliveries_since(
    work: UnitOfWork, endpoint_id: int, since: datetime, most: int
) -> list[NewDeliveryRow]:
    """Failed and skipped deliveries of an endpoint since a time, oldest first."""
    return await work.all(_failed_since, NewDeliveryRow, endpoint=endpoint_id, since=since, most=most)
