"""What goes in and out of services."""

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
    """What a service does; it decides under which family its prices may be hidden."""

    PARCEL = "parcel"
    LTL = "ltl"
    MOVING = "moving"
    STORAGE = "storage"
    SHIPOUT = "shipout"
    LUGGAGE = "luggage"


class Fulfilment(StrEnum):
    """What an order of the service becomes when it is confirmed."""

    LOCAL_DELIVERY = "local_delivery"
    """A delivery by the client's own drivers."""
    LABEL = "label"
    """A carrier's label."""


ServiceCode = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z0-9_-]+$", examples=["same-day"])]
FormValues = Annotated[dict[FieldKey, Any], Field(max_length=FIELDS_MAX, examples=[{"pickup_floor": 2}])]
"""What was filled in, by the names of the fields; null is as if it were not there."""


class ServiceTerms(Request):
    """What a service is."""

    name: Name = Field(examples=["Same day in the city"])
    """What customers call it."""
    description: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """What customers read of it."""
    form: list[FormField] = Field(default=[], max_length=FIELDS_MAX)
    """What customers fill in, in this order."""
    pricing: ServicePricing = ServicePricing()
    """What it costs."""
    currency: Currency | None = None
    """Of all its amounts, ISO 4217; the business's own when left out."""
    quote_hours: int = Field(default=24, ge=1, le=QUOTE_HOURS_MAX)
    """For how long a quote holds, whatever happens to the service."""
    fulfilment: list[Fulfilment] = Field(default=[], max_length=2)
    """What an order becomes when it is confirmed; nothing by itself where it is empty."""
    carrier_account_id: RecordId | None = None
    """The account with the carrier whose label it becomes; the default one when left out."""
    carrier_service: Annotated[str, Field(max_length=60, pattern=NO_NUL, examples=["ground"])] | None = None
    """The carrier's service; the cheapest when left out."""
    enabled: bool = True
    """Whether it is offered. Quotes that were given hold anyway."""
    position: int = Field(default=0, ge=0, le=10_000)
    """Where it stands in lists: lower numbers first, then by code."""


class CreateService(ServiceTerms):
    """A new service."""

    code: ServiceCode
    """What programs call it, unique in the business. It stays."""
    kind: ServiceKind
    """What it does. It stays."""


class ServiceRef(Request):
    """Which service."""

    service_id: RecordId


class UpdateService(ServiceTerms):
    """A service as it shall be from now on: what is left out has its default."""

    service_id: RecordId


class ListServices(PageRequest):
    """Which services."""

    kind: ServiceKind | None = None
    """Only those of a kind."""
    enabled: bool | None = None
    """Only those that are offered, or only those that are not."""


class ServiceMeasures(Request):
    """What is priced besides what was filled in."""

    pieces: int = Field(default=1, ge=1, le=PIECES_MAX)
    weight_g: int = Field(default=0, ge=0, le=WEIGHT_MAX_G)
    """Grams, of all pieces."""
    volume_cm3: int = Field(default=0, ge=0, le=1_000_000_000)
    """Cubic centimetres, of all pieces."""
    distance_m: int = Field(default=0, ge=0, le=40_000_000)
    """Metres."""
    country: CountryCode | None = None
    """Of the destination."""
    postal_code: Annotated[str, Field(max_length=20, pattern=NO_NUL, examples=["M5V 2T6"])] | None = None
    """Of the destination."""


class PreviewServicePrice(ServiceMeasures):
    """What would be ordered."""

    service_id: RecordId
    values: FormValues = {}


class ServiceRecord(Answer):
    """A service."""

    id: int
    code: str
    kind: ServiceKind
    name: str
    description: str
    form: list[FormFieldRecord]
    form_schema: Annotated[dict[str, Any], doc("The form as JSON Schema (2020-12), conditions included.")]
    pricing: ServicePricingRecord
    currency: Annotated[str, doc("Of all its amounts; ISO 4217.", "CAD")]
    quote_hours: int
    fulfilment: list[Fulfilment]
    carrier_account_id: int | None
    carrier_service: str | None
    enabled: bool
    position: int
    used: Annotated[bool, doc("Whether it was ever ordered; then it is disabled, and not deleted.")]
    created_at: datetime
    updated_at: datetime


class ServiceAnswer(Answer):
    """One service."""

    result: bool = True
    service: ServiceRecord


class ServiceList(PagedAnswer):
    """A page of services, as customers see them in order."""

    services: list[ServiceRecord]


class ServiceDeleted(Answer):
    """The service is gone."""

    result: bool = True
    service_id: int


class ServicePriceLine(Answer):
    """A part of a price."""

    code: str
    name: str
    amount_minor: int


class ServicePriceAnswer(Answer):
    """What it would cost."""

    result: bool = True
    currency: str
    lines: Annotated[list[ServicePriceLine], doc("They add up to the total.")]
    tax_minor: int
    total_minor: int
