"""Request and response models of freight shipments."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints

from haulier.contexts.freight.shipments.rules import (
    AppointmentAction,
    AppointmentKind,
    AppointmentState,
    ExceptionKind,
    FreightStatus,
    FreightStep,
)
from haulier.contexts.freight.tariffs.rules import Accessorial, FreightClass
from haulier.contexts.orders.delivery_orders.contract.orders import OrderAddress, OrderAddressRecord, OrderReference
from haulier.contexts.orders.quotes.contract import LongText, NameText, ShortText
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import EachOnce, Note, Reason, RecordId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

LTL = PriceFamily.LTL_SERVICE
UNITS_MAX, QUANTITY_MAX = 50, 100
VALUE_MAX_MINOR = 10**11
CARRIER_MAX, PRO_MAX = 120, 40
HandlingUnitType = Literal["pallet", "crate", "drum", "carton", "bundle", "roll", "other"]
FreightTerms = Literal["prepaid", "collect", "third_party"]
Length = Annotated[int, Field(ge=10, le=20_000, examples=[1220])]
NmfcItem = Annotated[str, StringConstraints(max_length=9, pattern=r"^\d{1,6}(-\d{1,2})?$")]
UnNumber = Annotated[str, StringConstraints(max_length=6, pattern=r"^(UN|NA|ID)\d{4}$")]
Phone = Annotated[str, StringConstraints(min_length=1, max_length=50, pattern=r"^[^\x00]*$")]
ProNumber = Annotated[str, StringConstraints(min_length=4, max_length=PRO_MAX, pattern="^[A-Za-z0-9_-]+$")]
Accessorials = Annotated[set[Accessorial], Field(max_length=20), EachOnce]


class HandlingUnit(Request):
    """A handling unit, or several identical ones."""

    type: HandlingUnitType = "pallet"
    """Type of the handling unit."""
    quantity: int = Field(default=1, ge=1, le=QUANTITY_MAX)
    """Number of identical handling units."""
    length_mm: Length
    """Length in millimetres."""
    width_mm: Length
    """Width in millimetres."""
    height_mm: Length
    """Height in millimetres, including the pallet."""
    weight_g: int = Field(ge=1, le=25_000_000, examples=[250000])
    """Weight of one handling unit in grams, including the pallet."""
    pieces: int | None = Field(default=None, ge=1, le=100_000, examples=[24])
    """Number of pieces on one handling unit."""
    description: NameText = Field(min_length=1, examples=["Bicycle parts"])
    """Description of the goods."""
    stackable: bool = False
    """If true, another handling unit can stand on it."""
    freight_class: FreightClass | None = None
    """Class required by the NMFC item. Default: the class of the density."""
    nmfc_item: NmfcItem | None = Field(default=None, examples=["156600-05"])
    """NMFC item number."""
    hazardous: bool = False
    """If true, these are hazardous materials. Requires `un_number`, `hazard_class` and the emergency phone number."""
    un_number: UnNumber | None = Field(default=None, examples=["UN1263"])
    """UN number of hazardous materials."""
    hazard_class: Annotated[str, StringConstraints(min_length=1, max_length=10, pattern="^[0-9.]+$")] | None = Field(
        default=None, examples=["3"]
    )
    """Hazard class or division."""
    packing_group: Literal["I", "II", "III"] | None = None
    """Packing group of hazardous materials."""


HandlingUnits = Annotated[list[HandlingUnit], Field(min_length=1, max_length=UNITS_MAX)]


class FreightParty(OrderAddress):
    """Shipper, consignee or payer of freight charges, with the contact person."""

    company: Annotated[NameText, Field(min_length=1)] | None = Field(default=None, examples=["Lovelace Ltd"])
    """Business, if `name` is a contact."""


class QuoteFreight(Request):
    """Goods and services to price."""

    consignee: FreightParty
    """Destination."""
    handling_units: HandlingUnits
    """Handling units."""
    accessorials: Accessorials = set()
    """Additional services at pickup and delivery."""
    declared_value_minor: int | None = Field(default=None, ge=0, le=VALUE_MAX_MINOR, examples=[1_500_000])
    """Declared value in minor units of the business's currency."""


class CreateFreightShipment(QuoteFreight):
    """A new freight shipment.

    A repeat with the same `shipment_ref` returns the existing shipment.
    """

    shipper: FreightParty
    """Origin."""
    bill_to: FreightParty | None = None
    """Payer of the freight charges. Required for `third_party`."""
    freight_terms: FreightTerms = "prepaid"
    """Payer by the bill of lading: the shipper, the consignee or a third party."""
    shipment_ref: Annotated[OrderReference, ClientKey()] | None = Field(default=None, examples=["LTL-1001"])
    """Your reference, unique per customer."""
    purchase_order: ShortText | None = Field(default=None, examples=["PO-7781"])
    """Purchase order number for the bill of lading."""
    instructions: LongText | None = Field(default=None, examples=["Dock 4. Call 30 minutes before."])
    """Instructions for the carrier."""
    emergency_phone: Phone | None = Field(default=None, examples=["+18005550100"])
    """Phone number for emergencies with hazardous materials, answered at all hours."""
    order_id: RecordId | None = None
    """Order that the shipment carries out."""
    customer_id: RecordId | None = None
    """Customer account of the shipment. Customers can only ship for themselves."""
    tender: bool = False
    """If true, tender the shipment at once. Shipments of customers always are."""


class FreightShipmentRef(Request):
    """Reference to a freight shipment."""

    freight_shipment_id: RecordId
    """ID of the freight shipment."""


class UpdateFreightShipment(FreightShipmentRef):
    """Fields to change. Omitted fields keep their values."""

    shipper: FreightParty | None = None
    """Origin."""
    consignee: FreightParty | None = None
    """Destination."""
    bill_to: FreightParty | None = None
    """Payer of the freight charges. Required for `third_party`."""
    freight_terms: FreightTerms | None = None
    """Payer by the bill of lading: the shipper, the consignee or a third party."""
    handling_units: HandlingUnits | None = None
    """Handling units."""
    accessorials: Accessorials | None = None
    """Additional services at pickup and delivery."""
    declared_value_minor: int | None = Field(default=None, ge=0, le=VALUE_MAX_MINOR, examples=[1_500_000])
    """Declared value in minor units of the business's currency."""
    purchase_order: ShortText | None = Field(default=None, examples=["PO-7781"])
    """Purchase order number for the bill of lading."""
    instructions: LongText | None = Field(default=None, examples=["Dock 4. Call 30 minutes before."])
    """Instructions for the carrier."""
    emergency_phone: Phone | None = Field(default=None, examples=["+18005550100"])
    """Phone number for emergencies with hazardous materials, answered at all hours."""


class ListFreightShipments(PageRequest):
    """Filters for freight shipments. Customers see their own."""

    status: FreightStatus | None = None
    """Filter by status."""
    customer_id: RecordId | None = None
    """Filter by customer."""
    order_id: RecordId | None = None
    """Filter by order."""
    shipment_ref: OrderReference | None = Field(default=None, examples=["LTL-1001"])
    """Filter by reference."""
    number: ProNumber | None = Field(default=None, examples=["HL0123456789ABC"])
    """Filter by tracking number or PRO number."""


class CancelFreightShipment(FreightShipmentRef):
    """A freight shipment to cancel."""

    reason: Reason | None = Field(default=None, examples=["The customer keeps the goods."])
    """Reason for the cancellation."""


class RecordFreightStep(FreightShipmentRef):
    """A step of the journey."""

    step: Literal[
        FreightStep.TENDER,
        FreightStep.ACCEPT,
        FreightStep.DECLINE,
        FreightStep.PICK_UP,
        FreightStep.DEPART,
        FreightStep.GO_OUT,
        FreightStep.FAIL_DELIVERY,
    ]
    """Step to record."""
    carrier: Annotated[NameText, StringConstraints(min_length=1, max_length=CARRIER_MAX)] | None = Field(
        default=None, examples=["Northern Freightways"]
    )
    """Name of the carrier. Default: the carrier named before, or your business."""
    pro_number: ProNumber | None = Field(default=None, examples=["482-901773"])
    """Carrier's PRO number, which finds the shipment in tracking."""
    occurred_at: Moment | None = None
    """Time of the step. Default: now."""
    city: ShortText | None = Field(default=None, examples=["Kingston"])
    """City of the step, shown in tracking."""


class NotedException(Request):
    """Handling units that the recipient noted on the delivery receipt."""

    unit: int = Field(ge=1, le=UNITS_MAX, examples=[1])
    """Line of the handling units, from 1."""
    kind: ExceptionKind
    """Kind of exception."""
    quantity: int = Field(default=1, ge=1, le=QUANTITY_MAX)
    """Number of handling units."""
    note: Note | None = Field(default=None, examples=["Shrink wrap torn, two cartons crushed."])
    """Note on the delivery receipt."""


class DeliverFreightShipment(FreightShipmentRef):
    """Delivery receipt."""

    received_by: NameText = Field(min_length=1, examples=["Grace Hopper"])
    """Name of the recipient who signed."""
    exceptions: Annotated[list[NotedException], Field(max_length=UNITS_MAX)] = []
    """Shortage and damage noted at delivery. If empty, everything arrived in good order."""
    occurred_at: Moment | None = None
    """Time of the delivery. Default: now."""


class SetFreightAppointment(FreightShipmentRef):
    """Change of the pickup or delivery appointment."""

    kind: AppointmentKind
    """End of the journey."""
    action: AppointmentAction
    """Change of the appointment. `confirm` without a window keeps the requested one."""
    window_start: Moment | None = None
    """Start of the window, with UTC offset."""
    window_end: Moment | None = None
    """End of the window, with UTC offset."""
    contact: ShortText | None = Field(default=None, examples=["Dock office, +1 416 555 0100"])
    """Contact at the dock."""
    confirmation_number: ShortText | None = Field(default=None, examples=["APT-5521"])
    """Confirmation number of the dock."""
    note: Note | None = Field(default=None, examples=["Truck arrived after the dock closed."])
    """Reason or note."""


class GetFreightDocument(FreightShipmentRef):
    """Freight document to read and its form."""

    kind: Literal["bill_of_lading", "delivery_receipt"] = "bill_of_lading"
    """Document. A delivery receipt requires the delivery."""
    form: Literal["record", "content"] = "record"
    """`record` returns the file in base64. The REST API also returns raw bytes for `Accept: application/pdf`."""


class HandlingUnitRecord(Answer, fields_of=HandlingUnit):
    """A handling unit with its density and class."""

    type: str
    freight_class: str
    packing_group: str | None
    class_by_density: Annotated[bool, doc("True if the class follows from the density.")]
    density_kg_m3: Annotated[int, doc("Density in kilograms per cubic metre.", 168)]


class FreightPartyRecord(OrderAddressRecord):
    """Shipper, consignee or payer of freight charges."""

    company: str | None = None


class FreightCharge(Answer):
    """Part of a price."""

    code: str
    name: str
    amount: Annotated[int, doc("Amount in minor units.")]


class FreightQuote(Priced):
    """Price of freight by the tariff, before tax."""

    result: bool = True
    handling_units: list[HandlingUnitRecord]
    weight_g: Annotated[int, doc("Total weight in grams.")]
    loading_mm: Annotated[int, doc("Length of trailer floor in millimetres.", 2440)]
    shipping_price: Annotated[int | UnsetType, price(LTL, "Price in minor units, before taxes that are added.")] = UNSET
    tax: Annotated[int | UnsetType, price(LTL, "Taxes added to the price, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LTL, "ISO 4217.")] = UNSET
    price_details: Annotated[list[FreightCharge] | UnsetType, price(LTL, "Parts of the price.")] = UNSET


class FreightAppointment(Answer):
    """Appointment at one end of the journey."""

    kind: AppointmentKind
    state: AppointmentState
    window_start: datetime | None
    window_end: datetime | None
    contact: str | None
    confirmation_number: str | None
    note: str | None
    updated_at: datetime


class NotedExceptionRecord(Answer):
    """Handling units noted on the delivery receipt."""

    unit: int
    kind: ExceptionKind
    quantity: int
    note: str | None


class DeliveryReceipt(Answer):
    """Delivery receipt with noted exceptions."""

    received_by: str
    exceptions: list[NotedExceptionRecord]


class FreightShipmentSummary(Priced):
    """A freight shipment in a list."""

    id: int
    status: FreightStatus
    tracking_number: str
    pro_number: Annotated[str | None, doc("Carrier's PRO number.", "482-901773")]
    shipment_ref: str | None
    customer_id: int | None
    order_id: int | None
    carrier: Annotated[str | None, doc("Name of the carrier.", "Northern Freightways")]
    shipper_city: str
    consignee_name: str
    consignee_city: str
    units: Annotated[int, doc("Number of handling units.")]
    weight_g: Annotated[int, doc("Total weight in grams.")]
    next_steps: Annotated[list[str], doc("Steps that the shipment can take now, the usual one first.")]
    shipping_price: Annotated[
        int | UnsetType | None, price(LTL, "Price in minor units, before taxes that are added. Null without a tariff.")
    ] = UNSET
    currency: Annotated[str | UnsetType, price(LTL, "ISO 4217.")] = UNSET
    created_at: datetime
    updated_at: datetime


class FreightShipment(FreightShipmentSummary):
    """A freight shipment."""

    freight_terms: str
    shipper: FreightPartyRecord
    consignee: FreightPartyRecord
    bill_to: FreightPartyRecord | None
    handling_units: list[HandlingUnitRecord]
    accessorials: list[str]
    loading_mm: Annotated[int, doc("Length of trailer floor in millimetres.", 2440)]
    declared_value_minor: int | None
    purchase_order: str | None
    instructions: str | None
    emergency_phone: str | None
    appointments: Annotated[list[FreightAppointment], doc("Pickup and delivery appointments.")]
    receipt: Annotated[DeliveryReceipt | None, doc("Delivery receipt; null before the delivery.")]
    price_details: Annotated[list[FreightCharge] | UnsetType, price(LTL, "Parts of the price.")] = UNSET
    charged_minor: Annotated[
        int | UnsetType | None, price(LTL, "Charged amount with taxes, in minor units. Null before the charge.")
    ] = UNSET
    tendered_at: datetime | None
    accepted_at: datetime | None
    picked_up_at: datetime | None
    delivered_at: datetime | None
    cancelled_at: datetime | None
    cancel_reason: str | None


class FreightShipmentAnswer(Answer):
    """One freight shipment."""

    result: bool = True
    freight_shipment: FreightShipment


class CreatedFreightShipment(FreightShipmentAnswer):
    """A new or existing freight shipment."""

    existing: Annotated[bool, doc("True if the shipment existed already. A repeat creates nothing.")] = False


class FreightShipmentList(PagedAnswer):
    """A page of freight shipments, newest first."""

    freight_shipments: list[FreightShipmentSummary]


class FreightDocument(Answer):
    """A freight document as PDF."""

    result: bool = True
    number: str
    media_type: Annotated[str, doc("", "application/pdf")]
    content: Annotated[str, doc("File content in base64.")]
