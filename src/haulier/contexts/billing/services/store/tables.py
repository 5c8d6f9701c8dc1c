"""Tables of services and their quotes."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, String, UniqueConstraint

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX

services = tenant_table(
    "service",
    Column("code", String(40), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX), nullable=False),
    Column("form", Json, nullable=False),
    Column("pricing", Json, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("quote_hours", Integer, nullable=False),
    Column("fulfilment", Json, nullable=False),
    Column("carrier_account_id", Id),
    Column("carrier_service", String(60)),
    Column("enabled", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
    Column("used", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("updated_by", Id),
    UniqueConstraint("client_id", "code"),
)
"""`used` is true once the service was ordered. It can then be disabled but not deleted."""
plain_columns(
    services,
    *("code", "kind", "name", "description", "form", "pricing", "currency", "fulfilment", "carrier_service"),
)

quotes = tenant_table(
    "service_quote",
    Column("service_id", Id, nullable=False),
    Column("customer_id", Id),
    Column("values", Json, nullable=False),
    Column("details", Json, nullable=False),
    Column("price", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("taken_at", UTCDateTime),
    Index(None, "client_id", "service_id", "expires_at"),
    Index(None, "client_id", "created_at"),
)
"""Quoted price of a service, with the form values and data of the calling context."""
personal_data(quotes, RecordKind.SHIPPING_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.SHIPPING_QUOTES, quotes.c.created_at, default_days=7)


class ServiceRow(Row):
    """Service."""

    id: int
    code: str
    kind: str
    name: str
    description: str
    form: list[dict[str, Any]]
    pricing: dict[str, Any]
    currency: str
    quote_hours: int
    fulfilment: list[str]
    carrier_account_id: int | None
    carrier_service: str | None
    enabled: bool
    position: int
    used: bool
    created_at: datetime
    updated_at: datetime


class ServiceQuoteRow(Row):
    """Quote."""

    id: int
    service_id: int
    customer_id: int | None
    values: dict[str, Any]
    details: dict[str, Any]
    price: dict[str, Any]
    created_at: datetime
    expires_at: datetime
    taken_at: datetime | None
