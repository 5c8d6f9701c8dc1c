"""Request and response models of labels."""

from datetime import date, datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import OrderReference, Package
from haulier.contexts.orders.quotes.contract import ShortText
from haulier.contexts.shipping.accounts.contract import (
    LABELS,
    MAX_MINOR,
    CarrierCode,
    CarrierServiceRecord,
    ServiceCode,
    ShippingAddress,
    ShippingAddressRecord,
)
from haulier.contexts.shipping.ports import CustomsReason
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.entering import is_entering
from haulier.kernel.operations.fields import ComparesPrice, RecordId
from haulier.kernel.operations.ids import QuotedRateId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

MAX_PARCELS = 50
RateId = Annotated[QuotedRateId, Field(min_length=1, max_length=30, pattern="^[A-Za-z0-9_-]+$", examples=["81-0"])]
StateName = Literal[
    "draft", "purchase_unknown", "purchased", "in_transit", "delivered", "void_pending", "voided", "failed"
]
FormatOfLabel = Literal["pdf", "zpl", "png"]

IncotermCode = Literal["EXW", "FCA", "CPT", "CIP", "DAP", "DPU", "DDP", "FAS", "FOB", "CFR", "CIF"]
HsCode = Annotated[str, Field(min_length=4, max_length=14, pattern="^[0-9.]+$")]


class ShipmentPackage(Package):
    """A parcel, or several that are all alike."""

    declared_value: Annotated[int, Field(ge=0, le=MAX_MINOR)] | None = Field(default=None, examples=[5000])
    """Insured value of one package in minor units of `currency`."""
    reference: ShortText | None = Field(default=None, examples=["BOX-1"])
    """Printed on the label where the carrier has room."""


class CustomsLine(Request):
    """One kind of goods that cross a border."""

    description: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")] = Field(
        examples=["Shoes"]
    )
    """Description of the goods."""
    quantity: int = Field(ge=1, le=100_000)
    """Number of items."""
    unit_value: int = Field(ge=0, le=MAX_MINOR)
    """The value of an item, in minor units of `currency`."""
    unit_weight_g: int = Field(default=0, ge=0, le=50_000_000)
    """The weight of an item in grams."""
    origin_country: CountryCode = Field(examples=["CA"])
    """Country of origin."""
    hs_code: HsCode | None = Field(default=None, examples=["6403.99"])
    """Code in the Harmonized System (HS)."""


class ShipmentTerms(Request):
    """Contents, sender and recipient of a shipment."""

    consignee: ShippingAddress
    """Recipient."""
    shipper: ShippingAddress | None = None
    """Sender. Default: the account's sender."""
    packages: Annotated[list[ShipmentPackage], Field(min_length=1, max_length=MAX_PARCELS)] = [ShipmentPackage()]
    """The parcels, at most 50 with their quantities."""
    ship_date: Day | None = None
    """Day of handover to the carrier. Default: today."""
    signature_required: bool = False
    """If true, the recipient must sign."""
    saturday_delivery: bool = False
    """If true, it can be delivered on a Saturday."""
    customs_items: list[CustomsLine] = Field(default=[], max_length=100)
    """Goods declared for customs."""
    customs_reason: CustomsReason = "sale"
    """Reason for export."""
    incoterm: IncotermCode | None = Field(default=None, examples=["DAP"])
    """Incoterm: division of costs (Incoterms 2020)."""
    currency: Currency | None = None
    """Currency of declared values. Default: the business's currency."""

    @field_validator("customs_items")
    @classmethod
    def _fit_their_parcels(cls, items: list[CustomsLine], info: ValidationInfo) -> list[CustomsLine]:
        """Reject goods that are heavier than their parcels, as customs do."""
        goods = sum(item.quantity * item.unit_weight_g for item in items)
        parcels = sum(each.quantity * each.weight_g for each in info.data.get("packages", ()))
        if is_entering(info) and "packages" in info.data and goods > parcels:
            weights = {"goods": goods, "parcels": parcels}
            raise PydanticCustomError("goods_too_heavy", "goods weigh {goods} g, parcels {parcels} g", weights)
        return items

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        if sum(package.quantity for package in self.packages) > MAX_PARCELS:
            raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": MAX_PARCELS})
        if any(package.weight_g < 1 for package in self.packages):
            raise PydanticCustomError("weight_needed", "a parcel weighs something")
        return self

    @property
    def parcels(self) -> list[ShipmentPackage]:
        """Return the parcels one by one."""
        return [package for package in self.packages for _ in range(package.quantity)]


class FindShipment(Request):
    """A shipment by any of its names."""

    shipment_id: RecordId | None = Field(default=None, examples=[12])
    """ID of the shipment."""
    tracking_number: OrderReference | None = Field(default=None, examples=["HC0123456789ABCDEFX"])
    """The tracking number of any of its parcels."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Sender's reference."""

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if not (self.shipment_id or self.tracking_number or self.order_ref):
            raise PydanticCustomError("shipment_needed", "a shipment must be named")
        return self


class ListShipments(PageRequest):
    """Filters; a shipment must match all that are given."""

    state: StateName | None = None
    """Filter by state."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Sender's reference."""
    tracking_number: OrderReference | None = Field(default=None, examples=["HC0123456789ABCDEFX"])
    """The tracking number of any of its parcels."""
    carrier: CarrierCode | None = Field(default=None, examples=["HOUSE"])
    """Filter by carrier."""
    account_id: RecordId | None = None
    """Filter by account."""
    customer_id: RecordId | None = None
    """Filter by customer."""
    ship_from: Day | None = None
    """To be shipped on this day or later."""
    ship_to: Day | None = None
    """To be shipped on this day or earlier."""
    open_manifest: bool | None = None
    """If true, only bought labels not yet handed over; if false, only the others."""


class CarrierRemark(Answer):
    """A remark of a carrier, in its own words."""

    account_id: int | None = None
    carrier: Annotated[str | None, doc("Carrier.", "HOUSE")] = None
    severity: Annotated[str, doc("info, warning or error.")] = "info"
    code: Annotated[str | None, doc("The carrier's code, or TOO_SLOW, NOT_REACHED, NO_SENDER.")] = None
    text: str
    field: Annotated[str | None, doc("Affected part of the shipment.")] = None


class ShippingCharge(Priced):
    """A part of a price."""

    code: Annotated[str, doc("base, fuel, residential, tax, mark_up, or the carrier's own code.", "fuel")]
    name: str
    amount: Annotated[int | UnsetType, price(LABELS, "Amount in minor units.")] = UNSET


class ShipmentParcel(Answer):
    """A parcel."""

    number: Annotated[int, doc("Number of the package within the shipment, from 1.")]
    tracking_number: str
    label_format: Annotated[str, doc("pdf, zpl or png.")]


class ShipmentSummary(Priced):
    """A shipment in a list."""

    id: int
    state: Annotated[
        str, doc("draft, purchase_unknown, purchased, in_transit, delivered, void_pending, voided, failed.")
    ]
    order_ref: str | None
    carrier: Annotated[str | None, doc("Carrier.", "HOUSE")]
    account_id: int | None
    service: Annotated[str | None, doc("Code of the alliance.", "ground")]
    service_name: str | None
    tracking_number: Annotated[str | None, doc("Tracking number of the first package.")]
    consignee_name: str
    consignee_city: str
    consignee_country: str
    ship_date: date
    customer_id: int | None
    manifest_id: int | None
    shipping_price: Annotated[int | UnsetType | None, price(LABELS, "Price in minor units.")] = UNSET
    currency: Annotated[str | UnsetType | None, price(LABELS, "ISO 4217.")] = UNSET
    created_at: datetime
    bought_at: datetime | None


class ShipmentDetail(ShipmentSummary):
    """A shipment."""

    shipper: ShippingAddressRecord | None
    consignee: ShippingAddressRecord
    parcels: list[ShipmentParcel]
    price_details: Annotated[list[ShippingCharge] | UnsetType, price(LABELS, "Parts of the price.")] = UNSET
    carrier_price_minor: Annotated[
        int | UnsetType | None, price(LABELS, "Price of the carrier, in minor units. For staff.")
    ] = UNSET
    messages: list[CarrierRemark]
    voided_at: datetime | None
    can_be_bought: bool
    can_be_cancelled: bool


class ShipmentAnswer(Answer):
    """One shipment."""

    result: bool = True
    shipment: ShipmentDetail


class CreatedShipment(ShipmentAnswer):
    """A new or existing shipment."""

    existing: Annotated[bool, doc("True if the shipment existed already. A repeat buys nothing twice.")] = False
    not_compared: Annotated[int | UnsetType, doc("Rates in other currencies that were not compared.", 2)] = UNSET


class ShipmentList(PagedAnswer):
    """A page of shipments, newest first."""

    shipments: list[ShipmentSummary]


class GetLabel(FindShipment):
    """A shipment whose label is requested."""

    parcel: int | None = Field(default=None, ge=1, le=200, examples=[1])
    """Number of the package, from 1. Default: all packages."""


class LabelDocument(Answer):
    """The label of a parcel."""

    number: Annotated[int, doc("Number of the package within the shipment, from 1.")]
    tracking_number: str
    format: Annotated[Literal["pdf", "zpl", "png"], doc("Format of the document.")]
    media_type: Annotated[str, doc("Format as a media type.", "application/zpl")]
    document: Annotated[str, doc("Label in base64.")]


class LabelAnswer(Answer):
    """The labels of a shipment."""

    result: bool = True
    shipment_id: int
    media_type: Annotated[str, doc("Media type of `document`.", "application/zpl")]
    document: Annotated[str, doc("First label in base64.")]
    labels: list[LabelDocument]


class EndOfDay(Request):
    """Day to close, and the accounts."""

    ship_date: Day | None = None
    """Last day of shipping to include. Default: today."""
    account_ids: list[RecordId] = Field(default=[], max_length=50)
    """Accounts to compare. Default: all."""


class ManifestRecord(Answer):
    """A manifest handed over to a carrier."""

    id: int
    account_id: int
    carrier: Annotated[str, doc("Carrier.", "HOUSE")]
    ship_date: date
    state: Annotated[str, doc("closing, closed or failed.")]
    shipments: Annotated[int, doc("Number of closed shipments.")]
    carrier_manifest_id: Annotated[str | None, doc("Carrier's number of the manifest.")]
    has_document: bool
    created_at: datetime
    closed_at: datetime | None


class NotClosed(Answer):
    """A shipment that the carrier did not accept."""

    shipment_id: int
    account_id: int
    code: str | None
    text: Annotated[str, doc("Reason in the carrier's words.")]


class EndOfDayAnswer(Answer):
    """Closed and open shipments."""

    result: bool = True
    closed: Annotated[int, doc("Shipments closed by this call.")]
    open: Annotated[int, doc("Shipments that stay open.")]
    manifests: list[ManifestRecord]
    not_closed: Annotated[list[NotClosed], doc("First 200 open shipments, with the reason.")]


class ManifestRef(Request):
    """Reference to a manifest."""

    manifest_id: RecordId
    """ID of the manifest."""


class ListManifests(PageRequest):
    """Filters; a manifest must match all that are given."""

    account_id: RecordId | None = None
    """Filter by account."""


class ManifestList(PagedAnswer):
    """A page of manifests, newest first."""

    manifests: list[ManifestRecord]


class ManifestAnswer(Answer):
    """One manifest, with the carrier's paper where there is one."""

    result: bool = True
    manifest: ManifestRecord
    shipment_ids: Annotated[list[int], doc("Closed shipments, up to 1000.")]
    voided_shipment_ids: Annotated[list[int], doc("Shipments of `shipment_ids` that staff voided after handover.")]
    media_type: Annotated[str | UnsetType, doc("Media type of the document.", "application/pdf")] = UNSET
    document: Annotated[str | UnsetType, doc("Document in base64.")] = UNSET


MAX_SERVICES = 50


class RateShipment(ShipmentTerms):
    """A shipment to rate."""

    account_ids: list[RecordId] = Field(default=[], max_length=MAX_SERVICES)
    """Accounts to compare. Default: all offered accounts."""
    services: list[ServiceCode] = Field(default=[], max_length=MAX_SERVICES)
    """Services to compare. Default: all."""
    customer_id: RecordId | None = None
    """Customer. Customers can only request their own."""


class ShippingRate(Priced):
    """A service and its price."""

    rate_id: Annotated[QuotedRateId, doc("Id for buying the label at this price.", "81-0")]
    account_id: int
    account: Annotated[str, doc("Name of the account.")]
    carrier: Annotated[str, doc("Carrier.", "HOUSE")]
    service: Annotated[str, doc("Code of the alliance.", "ground")]
    service_name: str
    shipping_price: Annotated[int | UnsetType, price(LABELS, "Total including tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LABELS, "ISO 4217.")] = UNSET
    price_details: Annotated[list[ShippingCharge] | UnsetType, price(LABELS, "Parts of the price.")] = UNSET
    carrier_price_minor: Annotated[
        int | UnsetType, price(LABELS, "Price of the carrier, in minor units. For staff.")
    ] = UNSET
    transit_days: int | None
    deliver_by: datetime | None
    guaranteed: bool
    expires_at: Annotated[datetime, doc("Time until which the rate holds.")]


class ShippingRateList(Answer):
    """Rates of services, cheapest first; by name if prices are hidden."""

    result: bool = True
    quote_id: int
    expires_at: Annotated[datetime, doc("Time until which all rates hold.")]
    rates: list[ShippingRate]
    messages: Annotated[list[CarrierRemark], doc("Reasons why carriers or services have no rate, and other remarks.")]


class CarrierComparison(Priced):
    """An account and the best of its rates."""

    account_id: int
    account: Annotated[str, doc("Name of the account.")]
    carrier: Annotated[str, doc("Carrier.", "HOUSE")]
    rates: Annotated[int, doc("Number of services that can carry it.")]
    cheapest: Annotated[ShippingRate | None, doc("Cheapest rate; null if hidden or not comparable.")]
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
    account: Annotated[str, doc("Name of the account.")]
    carrier: Annotated[str, doc("Carrier.", "HOUSE")]
    default: bool
    services: Annotated[
        list[CarrierServiceRecord], doc("Services of the carrier; empty if the carrier only lists them with rates.")
    ]


class ShippingMethodList(Answer):
    """Accounts and services available for shipping."""

    result: bool = True
    methods: list[ShippingMethods]


class PurchaseTerms(Request):
    """Terms for every way of buying a label."""

    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Reference of the sender. Only one label is bought for it."""
    label_format: FormatOfLabel = "pdf"
    """Requested label format. If the carrier has only another, that one is used."""
    customer_id: RecordId | None = None
    """Customer. Customers can only ship for themselves."""


class CreateShippingLabel(PurchaseTerms):
    """A label to buy: a rate that was quoted, or a shipment and a service."""

    rate_id: RateId | None = None
    """Quoted rate. The shipment is purchased at its price."""
    shipment: ShipmentTerms | None = None
    """Shipment. Required without `rate_id`."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """Account, if no `rate_id` is set. Default: the default account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """Service, if no `rate_id` is set."""
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
    """Shipment."""
    choose: Literal["cheapest", "fastest"] = "cheapest"
    """Criterion for the best rate."""
    max_price_minor: Annotated[Annotated[int, Field(ge=0, le=MAX_MINOR)] | None, ComparesPrice(LABELS)] = Field(
        default=None, examples=[2500]
    )
    """Highest acceptable price, in minor units of the business's currency. Not available to callers who see no label prices."""
    account_ids: list[RecordId] = Field(default=[], max_length=MAX_SERVICES)
    """Accounts to compare. Default: all offered accounts."""


class SubmitShippingInformation(Request):
    """Changes to a shipment that is not bought yet."""

    shipment_id: RecordId
    """ID of the shipment."""
    shipment: ShipmentTerms | None = None
    """Shipment. Replaces the earlier terms."""
    account_id: RecordId | None = Field(default=None, examples=[3])
    """Account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """Service."""
    label_format: FormatOfLabel | None = None
    """Label format."""
    purchase: bool = True
    """Buy the label now."""
