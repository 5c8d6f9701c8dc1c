"""Request and response models for services."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from haulier.contexts.billing.services.contract.forms import FIELDS_MAX, FieldKey, FormField, FormFieldRecord
from haulier.contexts.billing.services.contract.prices import (
    WEIGHT_MAX_G,
    ServicePricing,
    ServicePricingRecord,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, NOTE_MAX, Name, RecordId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

QUOTE_HOURS_MAX = 168
PIECES_MAX = 1_000


class ServiceKind(StrEnum):
    """Service kind. It determines the price family of the service."""

    PARCEL = "parcel"
    LTL = "ltl"
    MOVING = "moving"
    STORAGE = "storage"
    SHIPOUT = "shipout"
    LUGGAGE = "luggage"


class Fulfilment(StrEnum):
    """Record created when an order of the service is confirmed."""

    LOCAL_DELIVERY = "local_delivery"
    """Delivery by the business's own drivers."""
    LABEL = "label"
    """Carrier label."""


ServiceCode = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z0-9_-]+$", examples=["same-day"])]
FormValues = Annotated[dict[FieldKey, Any], Field(max_length=FIELDS_MAX, examples=[{"pickup_floor": 2}])]
"""Form values by field name. Null counts as missing."""


class ServiceTerms(Request):
    """Terms of a service."""

    name: Name = Field(examples=["Same day in the city"])
    """Name shown to customers."""
    description: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """Description shown to customers."""
    form: list[FormField] = Field(default=[], max_length=FIELDS_MAX)
    """Form fields in the order shown to customers."""
    pricing: ServicePricing = ServicePricing()
    """Pricing of the service."""
    currency: Currency | None = None
    """Currency of all amounts (ISO 4217). Defaults to the business's currency."""
    quote_hours: int = Field(default=24, ge=1, le=QUOTE_HOURS_MAX)
    """Validity of quotes in hours, regardless of later changes to the service."""
    fulfilment: list[Fulfilment] = Field(default=[], max_length=2)
    """Records created when an order is confirmed. If empty, nothing is created automatically."""
    carrier_account_id: RecordId | None = None
    """Carrier account for the label. Defaults to the default account."""
    carrier_service: Annotated[str, Field(max_length=60, pattern=NO_NUL, examples=["ground"])] | None = None
    """Carrier service. Defaults to the cheapest one."""
    enabled: bool = True
    """If true, the service is offered. Existing quotes stay valid either way."""
    position: int = Field(default=0, ge=0, le=10_000)
    """Position in lists. Lower numbers come first, then services are ordered by code."""


class CreateService(ServiceTerms):
    """New service."""

    code: ServiceCode
    """Code used by API clients, unique in the business. Cannot be changed."""
    kind: ServiceKind
    """Kind of the service. Cannot be changed."""


class ServiceRef(Request):
    """Reference to a service."""

    service_id: RecordId


class UpdateService(ServiceTerms):
    """Replacement of a service. Omitted fields are reset to their defaults."""

    service_id: RecordId


class ListServices(PageRequest):
    """Filters of services."""

    kind: ServiceKind | None = None
    """Filter by kind."""
    enabled: bool | None = None
    """If true, only offered services; if false, only those not offered."""


class ServiceMeasures(Request):
    """Measurements that affect the price."""

    pieces: int = Field(default=1, ge=1, le=PIECES_MAX)
    weight_g: int = Field(default=0, ge=0, le=WEIGHT_MAX_G)
    """Total weight of all packages in grams."""
    volume_cm3: int = Field(default=0, ge=0, le=1_000_000_000)
    """Total volume of all packages in cubic centimetres."""
    distance_m: int = Field(default=0, ge=0, le=40_000_000)
    """Distance in metres."""
    country: CountryCode | None = None
    """Country of the destination."""
    postal_code: Annotated[str, Field(max_length=20, pattern=NO_NUL, examples=["M5V 2T6"])] | None = None
    """Postal code of the destination."""


class PreviewServicePrice(ServiceMeasures):
    """Service order to price."""

    service_id: RecordId
    values: FormValues = {}


class ServiceRecord(Answer):
    """Service."""

    id: int
    code: str
    kind: ServiceKind
    name: str
    description: str
    form: list[FormFieldRecord]
    form_schema: Annotated[dict[str, Any], doc("Form as JSON Schema (2020-12), including conditions.")]
    pricing: ServicePricingRecord
    currency: Annotated[str, doc("Currency of all amounts (ISO 4217).", "CAD")]
    quote_hours: int
    fulfilment: list[Fulfilment]
    carrier_account_id: int | None
    carrier_service: str | None
    enabled: bool
    position: int
    used: Annotated[bool, doc("If true, the service has been ordered. It can be disabled but not deleted.")]
    created_at: datetime
    updated_at: datetime


class ServiceAnswer(Answer):
    """Single service."""

    result: bool = True
    service: ServiceRecord


class ServiceList(PagedAnswer):
    """Page of services in display order."""

    services: list[ServiceRecord]


class ServiceDeleted(Answer):
    """Confirmation that the service was deleted."""

    result: bool = True
    service_id: int


class ServicePriceLine(Answer):
    """Part of a price."""

    code: str
    name: str
    amount_minor: int


class ServicePriceAnswer(Answer):
    """Price of a service."""

    result: bool = True
    currency: str
    lines: Annotated[list[ServicePriceLine], doc("Price lines, which add up to the total.")]
    tax_minor: int
    total_minor: int
