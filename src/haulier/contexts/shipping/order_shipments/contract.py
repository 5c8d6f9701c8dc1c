"""Request and response models of order shipments."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints

from haulier.contexts.shipping.accounts.contract import ServiceCode
from haulier.contexts.shipping.labels.contract import (
    MAX_SERVICES,
    CarrierRemark,
    FormatOfLabel,
    RateId,
    ShipmentAnswer,
)
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import FulfilmentId, QuotedRateId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

FAMILY = "price_family"


class RateOrder(Request):
    """An order to rate."""

    order_id: RecordId
    """ID of the order."""
    account_ids: list[RecordId] = Field(default=[], max_length=MAX_SERVICES)
    """Accounts to compare. Default: all offered accounts."""
    services: list[ServiceCode] = Field(default=[], max_length=MAX_SERVICES)
    """Services to compare. Default: all."""
    ship_date: Day | None = None
    """Day of handover to the carrier. Default: today."""
    package_preset_id: RecordId | None = None
    """Package preset for packages without a size."""


class OrderRate(Priced):
    """A way to deliver an order, and its price."""

    method: Annotated[str, doc("own_fleet, partner or carrier.", "carrier")]
    rate_id: Annotated[QuotedRateId | None, doc("Id for `ship_order`; null for own delivery and partners.", "81-0")]
    account_id: int | None
    account: Annotated[str | None, doc("Name of the account.")]
    carrier: Annotated[str | None, doc("Carrier.", "HOUSE")]
    partner: Annotated[str | None, doc("Code of the partner.")] = None
    partnership_id: Annotated[int | None, doc("Partnership; null without a partner.")] = None
    service: Annotated[str, doc("Code of the alliance.", "ground")]
    service_name: str
    price_family: Annotated[str, doc("`local_delivery` for own delivery and partners, `label_service` for a carrier.")]
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "Total including tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    carrier_price_minor: Annotated[
        int | UnsetType, price_by(FAMILY, "Price of the carrier, in minor units. For staff.")
    ] = UNSET
    converted_price_minor: Annotated[
        int | UnsetType | None,
        price_by(FAMILY, "Total in the business's currency, in minor units; null without an exchange rate."),
    ] = UNSET
    exchange_rate: Annotated[
        str | None,
        doc("Units of the business's currency for one unit of `currency`; null if they are equal.", "1.4004"),
    ] = None
    exchange_rate_date: Annotated[date | None, doc("Day of the exchange rate.")] = None
    comparable: Annotated[bool, doc("True if the price is known in the business's currency.")]
    transit_days: int | None
    promised_by: Annotated[datetime | None, doc("Promised delivery time; null if unknown.")]
    on_time: Annotated[bool | None, doc("True if promised by the order's delivery date. Null if either is unknown.")]
    guaranteed: bool
    expires_at: Annotated[datetime, doc("Time until which the rate holds.")]


class OrderRateList(Answer):
    """Ways to deliver an order, cheapest first."""

    result: bool = True
    order_id: int
    quote_id: int
    deliver_by: Annotated[datetime | None, doc("Latest delivery time of the order; null if it has none.")]
    rates: list[OrderRate]
    messages: Annotated[list[CarrierRemark], doc("Reasons why accounts have no rate, and other remarks.")]


class ShipOrder(Request):
    """An order to ship with a parcel carrier."""

    order_id: RecordId
    """ID of the order."""
    rate_id: RateId | None = None
    """A rate of `rate_order`. Its label is bought at its price."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """Carrier account. Default: any account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """Service. Default: shipping rules decide, else the cheapest that delivers on time, else the fastest."""
    ship_date: Day | None = None
    """Day of handover to the carrier. Default: today."""
    label_format: FormatOfLabel = "pdf"
    """Requested label format. If the carrier has only another, that one is used."""
    deliver_by: Day | None = None
    """Latest delivery day. An order that no service delivers by then is refused."""
    package_preset_id: RecordId | None = None
    """Package preset for packages without a size."""


class ShippedOrder(ShipmentAnswer):
    """The shipment of an order, and why its service was chosen."""

    order_id: int
    fulfilment_id: Annotated[FulfilmentId, doc("Fulfilment of the order.", "shipment-12")]
    choice: Annotated[str, doc("rate, service, rules, cheapest_on_time, cheapest or fastest.", "cheapest_on_time")]
    explanation: Annotated[list[str], doc("Reasons for the choice in the caller's language.")]


class ListShipQueue(PageRequest):
    """Filters. An order must match all of them."""

    search: Annotated[str, StringConstraints(min_length=2, max_length=100, pattern=r"^[^\x00]+$")] | None = Field(
        default=None, examples=["Ada"]
    )
    """Words in name, phone, email, address, reference, tracking number or postal code."""
    due_by: Day | None = None
    """Latest scheduled day."""
    country: CountryCode | None = Field(default=None, examples=["DE"])
    """Country of the recipient."""
    customer_id: RecordId | None = None
    """Filter by customer account."""
    failed: bool = False
    """If true, only orders whose label could not be bought."""


class QueuedOrder(Answer):
    """An order that waits for a label."""

    order_id: int
    order_ref: str | None
    tracking_number: Annotated[str, doc("The order's tracking number.", "HLTR16KD5632GCM")]
    customer_id: int | None
    name: Annotated[str | None, doc("Name of the recipient.")]
    city: str | None
    postal_code: str | None
    country: Annotated[str | None, doc("Country of the recipient.", "CA")]
    package_count: int
    weight_g: int
    scheduled_date: date | None
    deliver_by: Annotated[datetime | None, doc("Latest delivery time; null if the order has none.")]
    shelf: Annotated[str | None, doc("First location of the reserved goods in walking order.", "A-01-2")]
    shipment_id: Annotated[int | None, doc("Shipment whose label could not be bought; null if there is none.")]
    problem: Annotated[str | None, doc("Reason why its label could not be bought.")]


class ShipQueue(PagedAnswer):
    """A page of orders that wait for a label, the earliest delivery day first."""

    orders: list[QueuedOrder]
