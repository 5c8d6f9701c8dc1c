"""Request and response models of delivery orders: corrections."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.custom_fields.fields import FieldValues, values_of
from haulier.contexts.identity.members.contract import CustomerText
from haulier.contexts.orders.delivery_orders.contract.items import OrderItem
from haulier.contexts.orders.delivery_orders.contract.orders import (
    PIECES_MAX,
    Id,
    LongText,
    OrderRecord,
    OrderRef,
    OrderReference,
    OrderWarning,
    Package,
    PriceChange,
    ShortText,
    SkillCode,
)
from haulier.contexts.orders.delivery_orders.rules.items import ITEMS_MAX
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderProblemKind
from haulier.contexts.orders.quotes.contract import NameText
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EmailText, Reason, RecordId
from haulier.kernel.operations.ids import DriverId, PieceId, UserId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ContactCorrection(Request):
    """Corrected contact at the address.

    Omitted fields are unchanged; null clears a field.
    """

    name: NameText | None = Field(default=None, min_length=1, examples=["Ada Lovelace"])
    """Name of the person or business."""
    phone: Annotated[str, StringConstraints(max_length=50, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["+14165550100"]
    )
    """Phone number for the driver."""
    email: EmailText | None = Field(default=None, examples=["ada@example.com"])
    """Email for order notifications."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor or suite."""
    notes: LongText | None = Field(default=None, examples=["Gate code 1234"])
    """Gate code, doorbell, or where to leave the parcel."""

    @model_validator(mode="after")
    def _keeps_a_name(self) -> "ContactCorrection":
        if "name" in self.model_fields_set and self.name is None:
            raise PydanticCustomError("name_needed", "a name is required")
        return self


class CorrectOrder(OrderRef):
    """Corrections of an order. Omitted fields are unchanged; null clears a field."""

    consignee: ContactCorrection | None = None
    """Recipient. Use a reroute for another address."""
    shipper: ContactCorrection | None = None
    """Sender."""
    packages: Annotated[list[Package], Field(min_length=1, max_length=PIECES_MAX)] | None = None
    """Complete list of packages. A package keeps the number of its position in the list."""
    items: Annotated[list[OrderItem], Field(max_length=ITEMS_MAX)] | None = None
    """Complete list of items. The goods value, and the weight of a package that has the weight of the items, follow them."""
    cod_minor: int | None = Field(default=None, ge=1, le=10**12, examples=[2500])
    """Cash to collect on delivery, in minor units of the business's currency."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] | None = None
    """Skills or equipment required of the driver."""
    service: Annotated[str, StringConstraints(max_length=30, pattern="^[a-z0-9_]+$")] | None = Field(
        default=None, examples=["express"]
    )
    """Service of the rate card."""
    signature_required: bool | None = None
    """If true, the recipient must sign."""
    service_time_s: int | None = Field(default=None, ge=0, le=86_400, examples=[180])
    """Service time at the stop in seconds."""

    @model_validator(mode="after")
    def _empties_only_what_may_be_empty(self) -> "CorrectOrder":
        emptied = {name for name in self.given_fields if getattr(self, name) is None} - {"cod_minor"}
        if emptied or not self.given_fields:
            raise PydanticCustomError("nothing_corrected", "at least one correction is required")
        return self

    @property
    def given_fields(self) -> set[str]:
        """The fields that the request names."""
        return self.model_fields_set - {"order_id"}


class CorrectedPlace(Request):
    """A complete address. Its contact is unchanged."""

    address: ShortText = Field(min_length=1, examples=["100 Queen St W"])
    """Street and house number."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor or suite."""
    city: ShortText = Field(min_length=1, examples=["Toronto"])
    """City."""
    region: ShortText | None = Field(default=None, examples=["ON"])
    """Province or state."""
    postal_code: Annotated[str, StringConstraints(max_length=20, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["M5V 2T6"]
    )
    """Postal code."""
    country: CountryCode = Field(examples=["CA"])
    """Country code (ISO 3166-1 alpha-2)."""
    lat: float | None = Field(default=None, ge=-90, le=90, examples=[43.65])
    """Latitude in decimal degrees (WGS 84)."""
    lng: float | None = Field(default=None, ge=-180, le=180, examples=[-79.38])
    """Longitude in decimal degrees (WGS 84)."""


class CorrectAddress(OrderRef):
    """Corrected address of an order that could not be delivered."""

    place: CorrectedPlace
    """Corrected address."""
    end: Literal["consignee", "shipper"] | None = None
    """Party whose address is corrected. Default: the shipper of a pickup, the consignee of any other order."""
    reason: Reason | None = Field(default=None, examples=["The house number was wrong."])
    """Reason, stored in the order history."""


class GoodsAt(Request):
    """Location of goods: the address of another order, or a place."""

    order_id: RecordId | None = None
    """Order whose delivery address the goods are at. Required unless `place` is set."""
    place: CorrectedPlace | None = None
    """Address of the goods, with `lat` and `lng`. Required unless `order_id` is set."""
    name: NameText | None = Field(default=None, min_length=1, examples=["Ada Lovelace"])
    """Name of the person who has the goods. Default: the recipient of `order_id`, or the address of `place`."""

    @model_validator(mode="after")
    def _names_one_place(self) -> "GoodsAt":
        if (self.order_id is None) == (self.place is None):
            raise PydanticCustomError("goods_place_needed", "either order_id or place is needed")
        if self.place is not None and (self.place.lat is None or self.place.lng is None):
            raise PydanticCustomError("goods_coordinates_needed", "place needs lat and lng")
        return self


class UpdateGoodsAt(OrderRef):
    """Location of the goods of an order that waits for a route."""

    goods_at: GoodsAt | None
    """Current location of the goods. `null`: at the depot."""
    reason: Reason | None = Field(default=None, examples=["The neighbor brought it to the depot."])
    """Reason, stored in the order history."""


class UndoDelivery(OrderRef):
    """A delivery reported by mistake, and the evidence."""

    goods_at: GoodsAt | None = None
    """Location of the goods, if the route is over. The next route collects them there. Default: at the depot."""
    reason: Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00]*$")] = Field(
        examples=["The driver pressed the wrong stop."]
    )
    """Reason, stored in the order history."""


class CorrectedOrder(Answer):
    """The order after the correction, with the price change."""

    result: bool = True
    message: str
    order: OrderRecord
    price: PriceChange
    warnings: list[OrderWarning] = []


class PackageFieldValues(Request):
    """Custom field values of a package."""

    package_id: PieceId
    """ID of the package, as returned with the order."""
    custom_fields: Annotated[FieldValues, values_of("package")]
    """Values by field name. Omitted fields are unchanged; null clears a field."""


class UpdateOrderCustomFields(OrderRef):
    """Custom field values of an order."""

    custom_fields: Annotated[FieldValues, values_of("order")] = {}
    """Values by field name. Omitted fields are unchanged; null clears a field."""
    packages: Annotated[list[PackageFieldValues], Field(max_length=PIECES_MAX)] = []
    """Custom field values of packages."""


class ListOrderExceptions(PageRequest):
    """Filters. An order must match all of them."""

    kinds: Annotated[
        list[OrderProblemKind], Field(max_length=len(OrderProblemKind), examples=[["late", "failed"]])
    ] = []
    """Filter by problem."""
    customer_id: Id | None = None
    """Filter by customer account."""
    customer: CustomerText = None
    """Filter by customer name, email, phone or code."""
    contractor_id: Id | None = None
    """Filter by contractor that holds the order. Contractors see only their own."""
    scheduled_from: Day | None = None
    """Earliest scheduled day."""
    scheduled_to: Day | None = None
    """Latest scheduled day."""


class OrderProblem(Answer):
    """A problem of an order."""

    kind: OrderProblemKind
    since: Annotated[datetime | None, doc("Start time of the problem; null if unknown.")]
    reason: Annotated[str | None, doc("Reason given for the step that led to the problem, for example by the driver.")]
    message: Annotated[str, doc("Description in the caller's language.")]
    exception_id: Annotated[
        int | None, doc("Id for `update_piece_exception`; null for problems that are not about a piece.")
    ] = None
    piece: Annotated[str | None, doc("Tracking number of the piece.", "HLTR16KD-2")] = None
    shortage_id: Annotated[
        int | None, doc("Id for `update_stock_shortage`; null for problems that are not about stock.")
    ] = None
    sku: Annotated[str | None, doc("SKU of the missing product.", "MUG")] = None
    quantity: Annotated[int | None, doc("Number of missing units.", 2)] = None
    owner_id: Annotated[UserId | None, doc("User who handles it; null while unassigned.")] = None


class OrderException(Answer):
    """An order that needs attention."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    status: str
    name: Annotated[str | None, doc("Contact at the stop.")]
    address: str | None
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    customer_id: int | None
    contractor_id: int | None
    route_id: int | None
    driver_id: DriverId | None
    driver_name: str | None
    stop_number: int | None
    planned_arrival_at: datetime | None
    problems: list[OrderProblem]


class OrderProblemCounts(Answer):
    """Number of orders with each problem. An order can have several."""

    late: int
    unplanned: int
    failed: int
    held: int
    no_coordinates: int
    contractor_disabled: int
    stock_short: int
    piece_missing: int
    piece_damaged: int


class OrderExceptionList(PagedAnswer):
    """A page of orders that need attention, newest first. `total` counts orders."""

    as_of: datetime
    counts: OrderProblemCounts
    exceptions: list[OrderException]


class UpdateOrderWindows(Request):
    """A new delivery window for orders identified by reference."""

    order_refs: Annotated[list[OrderReference], Field(min_length=1, max_length=200, examples=[["A-1001"]])]
    """References of the orders."""
    customer_id: Id | None = None
    """Customer of the references, if several customers use the same ones."""
    window_start: Moment
    """Start of the delivery window, with UTC offset."""
    window_end: Moment
    """End of the delivery window, with UTC offset."""

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "UpdateOrderWindows":
        if self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self


class OrderWindowOutcome(Answer):
    """The outcome for one reference."""

    order_ref: str
    changed: bool
    code: Annotated[str | None, doc("Machine-readable reason if unchanged.", "NOT_FOUND")] = None
    message: Annotated[str | None, doc("Reason in the caller's language if unchanged.")] = None


class OrderWindowError(Answer):
    """A reference whose order was not changed."""

    order_id: Annotated[int | None, doc("Always null, as no order was changed.")] = None
    order_ref: str
    code: Annotated[str, doc("Machine-readable reason.", "NOT_FOUND")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class OrderWindowsResult(Answer):
    """The outcome for each reference."""

    result: bool
    changed: int
    skipped: int
    outcomes: list[OrderWindowOutcome]
    errors: Annotated[list[OrderWindowError], doc("Outcomes without a change.")]
