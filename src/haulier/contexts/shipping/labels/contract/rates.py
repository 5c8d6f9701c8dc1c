"""Rates: what carriers charge, and what is bought of it."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import OrderReference
from haulier.contexts.shipping.accounts.contract.accounts import CarrierServiceRecord, ServiceCode
from haulier.contexts.shipping.accounts.contract.tariffs import LABELS, MAX_MINOR
from haulier.contexts.shipping.labels.contract.shipments import (
    CarrierRemark,
    FormatOfLabel,
    RateId,
    ShipmentTerms,
    ShippingCharge,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import ComparesPrice, RecordId

MAX_SERVICES = 50


class RateShipment(ShipmentTerms):
    """A shipment to rate."""

    account_ids: list[RecordId] = Field(default=[], max_length=MAX_SERVICES)
    """With these accounts; with all that are offered unless said."""
    services: list[ServiceCode] = Field(default=[], max_length=MAX_SERVICES)
    """These services; all unless said."""
    customer_id: RecordId | None = None
    """The customer it is for; customers ask for themselves."""


class ShippingRate(Priced):
    """A service and its price."""

    rate_id: Annotated[str, doc("Buy it with this id: the price then holds.", "81-0")]
    account_id: int
    account: Annotated[str, doc("The account's name.")]
    carrier: Annotated[str, doc("The carrier.", "HOUSE")]
    service: Annotated[str, doc("Its code.", "ground")]
    service_name: str
    shipping_price: Annotated[int | UnsetType, price(LABELS, "Total with tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LABELS, "ISO 4217.")] = UNSET
    price_details: Annotated[list[ShippingCharge] | UnsetType, price(LABELS, "The parts of the price.")] = UNSET
    carrier_price: Annotated[int | UnsetType, price(LABELS, "What the carrier charges; for the office.")] = UNSET
    transit_days: int | None
    deliver_by: datetime | None
    guaranteed: bool
    expires_at: Annotated[datetime, doc("Until when the rate holds.")]


class ShippingRateList(Answer):
    """What each service costs, cheapest first; by name where prices are hidden."""

    result: bool = True
    quote_id: int
    expires_at: Annotated[datetime, doc("Until when all of them hold.")]
    rates: list[ShippingRate]
    messages: Annotated[list[CarrierRemark], doc("Why a carrier or a service has no rate, and what else they say.")]


class CarrierComparison(Priced):
    """An account and the best of its rates."""

    account_id: int
    account: Annotated[str, doc("The account's name.")]
    carrier: Annotated[str, doc("The carrier.", "HOUSE")]
    rates: Annotated[int, doc("How many services can carry it.")]
    cheapest: Annotated[ShippingRate | None, doc("The cheapest; null if hidden, or not comparable.")]
    fastest: ShippingRate | None


class CarrierComparisonList(Answer):
    """The carriers side by side."""

    result: bool = True
    quote_id: int
    expires_at: datetime
    carriers: list[CarrierComparison]
    messages: list[CarrierRemark]


class ShippingMethods(Answer):
    """An account and its services."""

    account_id: int
    account: Annotated[str, doc("The account's name.")]
    carrier: Annotated[str, doc("The carrier.", "HOUSE")]
    default: bool
    services: Annotated[
        list[CarrierServiceRecord], doc("Empty where the carrier says which when it is asked for rates.")
    ]


class ShippingMethodList(Answer):
    """What can be shipped with, by account."""

    result: bool = True
    methods: list[ShippingMethods]


class PurchaseTerms(Request):
    """What goes for every way of buying a label."""

    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """The sender's own reference: a label is bought once for it."""
    label_format: FormatOfLabel = "pdf"
    """The form that the label should have. Where the carrier has another only, it is that."""
    customer_id: RecordId | None = None
    """The customer it is for; customers ship for themselves."""


class CreateShippingLabel(PurchaseTerms):
    """A label to buy: a rate that was quoted, or a shipment and a service."""

    rate_id: RateId | None = None
    """A rate that was quoted: its shipment is bought at its price."""
    shipment: ShipmentTerms | None = None
    """What is shipped, where there is no `rate_id`."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """With which account, where there is no `rate_id`; the default account unless said."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """With which service, where there is no `rate_id`."""
    draft: bool = False
    """Keep it, to be completed and bought later."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.rate_id is None) == (self.shipment is None):
            raise PydanticCustomError("rate_or_shipment", "rate_id or shipment is needed, and not both")
        if self.shipment and not self.service and not self.draft:
            raise PydanticCustomError("service_needed", "service is needed")
        return self


class QuoteAndShip(PurchaseTerms):
    """A shipment that goes with the best carrier there is."""

    shipment: ShipmentTerms
    """What is shipped."""
    choose: Literal["cheapest", "fastest"] = "cheapest"
    """Which rate is the best."""
    max_price: Annotated[Annotated[int, Field(ge=0, le=MAX_MINOR)] | None, ComparesPrice(LABELS)] = Field(
        default=None, examples=[2500]
    )
    """Highest acceptable price, in minor units of the business's currency. Not available to callers who see no label prices."""
    account_ids: list[RecordId] = Field(default=[], max_length=MAX_SERVICES)
    """Among these accounts; among all that are offered unless said."""


class SubmitShippingInformation(Request):
    """What is completed of a shipment that is not bought yet."""

    shipment_id: RecordId
    """The shipment's id."""
    shipment: ShipmentTerms | None = None
    """What is shipped, instead of what was said."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """With which account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """With which service."""
    label_format: FormatOfLabel | None = None
    """The form that the label should have."""
    purchase: bool = True
    """Buy the label now."""
