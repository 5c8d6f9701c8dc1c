"""Services, as customers find them."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.services.contract import FormFieldRecord, FormValues, ServiceCode
from haulier.contexts.orders.quotes.contract import QuoteAddress, ShortText
from haulier.contexts.shipping.accounts.contract.tariffs import FAMILY, PriceFamilyOf
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request

PACKAGES_MAX = 100
PIECES_MAX = 200
"""As many as a delivery has at most."""
OrderableKind = Literal["parcel", "ltl", "moving"]


class ListShippingServices(Request):
    """Which services."""

    kind: OrderableKind | None = None
    """Only those of a kind."""


class ShippingServiceRef(Request):
    """Which service."""

    service_code: ServiceCode
    """The service's code."""


class ShippingOrderPackage(Request):
    """A piece, or several that are all alike."""

    weight_g: int = Field(default=1000, ge=1, le=50_000_000)
    """Weight of one piece in grams."""
    length_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[300])
    """Length in millimetres."""
    width_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[200])
    """Width in millimetres."""
    height_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[150])
    """Height in millimetres."""
    quantity: int = Field(default=1, ge=1, le=50)
    """How many such pieces."""
    description: ShortText | None = Field(default=None, examples=["Shoes"])
    """What it is."""


def _not_too_many(packages: list[ShippingOrderPackage]) -> list[ShippingOrderPackage]:
    if sum(package.quantity for package in packages) > PIECES_MAX:
        raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PIECES_MAX})
    return packages


Packages = Annotated[
    list[ShippingOrderPackage], Field(min_length=1, max_length=PACKAGES_MAX), AfterValidator(_not_too_many)
]


class EstimateShippingOrder(ShippingServiceRef):
    """What would be ordered."""

    consignee: QuoteAddress | None = None
    """Where it goes; as much of it as is known. Where the price depends on the distance, its coordinates are needed."""
    shipper: QuoteAddress | None = None
    """Where it comes from."""
    packages: Packages = [ShippingOrderPackage()]
    """The pieces."""
    values: FormValues = {}
    """What the service's form asks for."""


class ShippingServiceRecord(Answer):
    """A service that can be ordered."""

    code: str
    kind: str
    name: str
    description: str


class ShippingServiceList(Answer):
    """The services that can be ordered, in the business's order."""

    result: bool = True
    services: list[ShippingServiceRecord]


class ShippingServiceConfig(Answer):
    """A service, and what it asks for."""

    result: bool = True
    service: ShippingServiceRecord
    form: Annotated[list[FormFieldRecord], doc("The fields of the form, in order.")]
    form_schema: Annotated[dict[str, Any], doc("The form as JSON Schema (2020-12), titles in the caller's language.")]
    quote_hours: Annotated[int, doc("For how long a quote holds.")]
    sender_needed: Annotated[bool, doc("Whether an order must say where it comes from.")]


class ShippingOrderCharge(Answer):
    """A part of a price."""

    code: str
    name: str
    amount: Annotated[int, doc("In minor units.")]


class ShippingOrderEstimate(Priced):
    """What an order would cost. The quote holds until it expires, whatever happens to the tariff."""

    result: bool = True
    service_code: str
    quote_id: Annotated[int, doc("With which an order gets this price. 0 in a dry run, which keeps nothing.")]
    expires_at: Annotated[datetime, doc("Until then the quote holds.")]
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "All of it, in minor units.")] = UNSET
    tax: Annotated[int | UnsetType, price_by(FAMILY, "The tax in it.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    price_details: Annotated[list[ShippingOrderCharge] | UnsetType, price_by(FAMILY, "The parts of the price.")] = UNSET
