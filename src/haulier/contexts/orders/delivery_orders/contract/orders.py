"""Delivery orders: requests and answers."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.custom_fields.fields import FieldFilters, FieldValues, ShownValues, values_of
from haulier.contexts.identity.members.contract import CustomerText
from haulier.contexts.orders.delivery_orders.contract.addresses import (
    PIECES_MAX,
    LongText,
    OrderAddress,
    OrderAddressRecord,
    Package,
)
from haulier.contexts.orders.delivery_orders.contract.brief_orders import CHANGED, CREATED, MOVED
from haulier.contexts.orders.delivery_orders.contract.terms import OrderTerms
from haulier.contexts.orders.quotes.contract import OrderWarning
from haulier.contexts.orders.quotes.rules.quoted import QUOTE_ID_MAX
from haulier.kernel.operations.answers import Answer, Priced, brief_for_agents, doc, for_agents, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.ids import DriverId, UserId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PagedAnswer, PageRequest

Id = Annotated[int, Field(ge=1, le=2**53 - 1)]
OrderType = Literal["D", "P", "P2P"]
StatusName = Literal[
    "NEW_ORDER",
    "HOLD",
    "PLANNED",
    "PICKED_UP",
    "OUT_FOR_DELIVERY",
    "DELIVERED",
    "FAILED",
    "RETURNED",
    "REJECTED",
    "CANCELLED",
]
Statuses = Annotated[list[StatusName], Field(max_length=10, examples=[["NEW_ORDER", "FAILED"]])]
OrderReference = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")
]
LOCAL = PriceFamily.LOCAL_DELIVERY


class CreateOrder(OrderTerms):
    """A new order. A repeat with the same `order_ref` gives the existing order."""

    type: OrderType = "D"
    """D: deliver from the depot. P: pick up and bring to the depot. P2P: from door to door."""
    consignee: OrderAddress | None = None
    """Who receives; needed for D and P2P."""
    shipper: OrderAddress | None = None
    """Who sends; needed for P and P2P. Left out there, it is the default sender of the customer's address book, or of yours."""
    recipient_address_id: Id | None = None
    """Instead of `consignee`: an address of the address book, which the order gets as it stands now."""
    sender_address_id: Id | None = None
    """Instead of `shipper`: an address of the address book, which the order gets as it stands now."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """The sender's own reference, unique for each customer."""
    packages: Annotated[list[Package], Field(min_length=1, max_length=PIECES_MAX)] = [Package()]
    """The pieces, at most 200 with their quantities."""
    signature_required: bool = False
    """Whether the recipient must sign."""
    service: Annotated[str, StringConstraints(max_length=30, pattern="^[a-z0-9_]+$")] = "standard"
    """A service of the rate card."""
    quote_id: Annotated[str, StringConstraints(max_length=QUOTE_ID_MAX, pattern="^[A-Za-z0-9_-]+$")] | None = Field(
        default=None, examples=["eyJjbGllbnRfaWQiOjF9"]
    )
    """The id of a quote for this delivery: the order gets its price, if it is what was quoted."""
    customer_id: Id | None = None
    """The customer account the order is for; customers order for themselves."""
    fulfilment: Literal["self_delivery", "third_party", "carrier"] = "self_delivery"
    """Who delivers: the client's own drivers and contractors, another business, or a parcel carrier."""
    custom_fields: Annotated[FieldValues, values_of("order")] = {}
    """Values of the client's own fields of orders."""

    @model_validator(mode="after")
    def _has_its_ends(self) -> "CreateOrder":
        if self.consignee and self.recipient_address_id:
            raise PydanticCustomError("recipient_given_twice", "consignee or recipient_address_id, not both")
        if self.shipper and self.sender_address_id:
            raise PydanticCustomError("sender_given_twice", "shipper or sender_address_id, not both")
        if self.type in ("D", "P2P") and self.consignee is None and self.recipient_address_id is None:
            raise PydanticCustomError("consignee_needed", "consignee is needed for D and P2P")
        if self.window_start and self.window_end and self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        if sum(package.quantity for package in self.packages) > PIECES_MAX:
            raise PydanticCustomError("too_many_pieces", "at most {most} pieces", {"most": PIECES_MAX})
        return self

    @property
    def pieces(self) -> list[Package]:
        """Every physical piece by itself."""
        return [package for package in self.packages for _ in range(package.quantity)]

    @property
    def stop(self) -> OrderAddress:
        """The stop where the driver has to go: the shipper's address for P, else the consignee's."""
        address = self.shipper if self.type == "P" else self.consignee
        assert address is not None  # the validator above requires it
        return address

    @property
    def visited_ends(self) -> dict[str, OrderAddress]:
        """The ends that a driver has to visit, by field."""
        fields = {"D": ("consignee",), "P": ("shipper",), "P2P": ("shipper", "consignee")}[self.type]
        return {field: end for field in fields if (end := getattr(self, field)) is not None}

    @property
    def zoned_places(self) -> dict[str, tuple[float, float] | None]:
        """The places, by field, that zones judge: those that the business's own drivers have to visit."""
        return {field: end.place for field, end in self.visited_ends.items() if self.fulfilment == "self_delivery"}


class OrderRef(Request):
    """Which order."""

    order_id: Id
    """The order's id."""


class OrderFilters(Request):
    """Filters; an order must match all that are given."""

    status: StatusName | None = None
    """In this status."""
    statuses: Statuses = []
    """In any of these statuses, besides `status`."""
    late: bool = False
    """Only orders whose time window is over while they are not."""
    type: OrderType | None = None
    """D, P or P2P."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """The client's reference."""
    tracking_number: OrderReference | None = Field(default=None, examples=["HLTR16KD5632GCM"])
    """The tracking number."""
    customer_id: Id | None = None
    """Orders of a customer account."""
    customer: CustomerText = None
    """The customer by name, e-mail, telephone number or code."""
    contractor_id: Id | None = None
    """Orders that a contractor holds."""
    scheduled_from: Day | None = None
    """Scheduled on this day or later."""
    scheduled_to: Day | None = None
    """Scheduled on this day or earlier."""
    created_from: Moment | None = None
    """Created at this instant or later."""
    created_to: Moment | None = None
    """Created before this instant."""
    text: Annotated[str, StringConstraints(min_length=2, max_length=100, pattern=r"^[^\x00]+$")] | None = Field(
        default=None, examples=["Ada"]
    )
    """Words of name, phone, email, address or reference; tracking number or postal code."""
    custom_fields: FieldFilters = []
    """By the client's own fields: `name:value`, `name>=value` or `name<=value`; all must fit."""


class ListOrders(OrderFilters, PageRequest):
    """Filters; an order must match all that are given."""

    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["Ab3"])] | None = None
    """Last `next_cursor`."""


class UpdateOrderNote(OrderRef):
    """A new note."""

    note: LongText = Field(examples=["Ring twice."])
    """Replaces the earlier note."""


class UpdateDeliveryInstruction(OrderRef):
    """A new delivery instruction."""

    delivery_instruction: LongText = Field(examples=["Leave it at the side door."])
    """Replaces the earlier instruction."""


class OrderTransitionRequest(OrderRef):
    """A step and its reason."""

    reason: Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["The customer called."]
    )
    """The reason; stored with the step."""


class OrdersTransitionRequest(Request):
    """A step that many orders take, and its reason."""

    order_ids: Annotated[list[Id], Field(min_length=1, max_length=200)]
    """The orders; one named twice counts once."""
    reason: Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["The road is closed."]
    )
    """The reason; stored with each step."""


class RerouteOrder(OrderRef):
    """A new address for an order that was not picked up yet."""

    address: OrderAddress
    """The new address."""


class OrderPriceLine(Priced):
    """One line of a price."""

    code: str
    amount: Annotated[int | UnsetType, price(LOCAL, "In minor units.")] = UNSET


class OrderPackageRecord(Answer):
    """One piece of an order."""

    id: int
    tracking_number: str
    weight_g: int
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    quantity: Annotated[int, doc("1: every piece is listed by itself. Of older orders, how many items are inside.")]
    description: str | None
    outcome: Annotated[
        str | None,
        doc("delivered, or why not: missing, damaged, refused, returned. Null until one knows.", "delivered"),
    ]
    custom_fields: ShownValues


class OrderRecord(Priced):
    """An order in a list."""

    id: Annotated[int, doc("The order's id.", 12345)]
    order_ref: str | None
    tracking_number: Annotated[str, doc("The public number.", "HLTR16KD5632GCM")]
    type: Annotated[str, doc("D, P or P2P.")]
    status: Annotated[str, doc("Where the order is.", "NEW_ORDER")]
    order_status_id: Annotated[int, for_agents("detail", "The status as a number.")]
    fulfilment: Annotated[str, for_agents("detail")]
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    customer_id: int | None
    contractor_id: int | None
    driver_id: Annotated[
        DriverId | None, doc("Who drives its route, as in routes and drivers; not shown to customers.")
    ]
    driver_name: str | None
    driver_user_id: Annotated[
        UserId | None, doc("The account with which that driver signs in, once the route is published.")
    ]
    route_id: Annotated[int | None, doc("The route on which it stands; not shown to customers.")]
    stop_number: Annotated[
        int | None, doc("Which stop of that route is next for it, from 1; the last once all are over.")
    ]
    planned_arrival_at: Annotated[datetime | None, doc("When that stop is planned; no forecast.")]
    name: Annotated[str | None, doc("Who is at the stop.")]
    address: str | None
    city: str | None
    postal_code: str | None
    lat: Annotated[float | None, for_agents("detail")]
    lng: Annotated[float | None, for_agents("detail")]
    package_count: int
    weight_g: int
    attempts: Annotated[int, doc("How often it was tried without success.")]
    created_at: datetime
    updated_at: Annotated[datetime, for_agents("detail")]
    custom_fields: Annotated[ShownValues, for_agents("filled")]
    allowed_actions: Annotated[list[str], doc("Steps that the caller may take now.", ["hold", "plan", "cancel"])]
    shipping_price: Annotated[int | UnsetType, price(LOCAL, "Total with tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class OrderStepRecord(Answer):
    """A step that an order took."""

    step: str
    status: str
    at: datetime
    recorded_at: datetime
    by_user_id: UserId | None
    reason: str | None


class OrderDetail(OrderRecord, fields_of=OrderTerms):
    """An order in full."""

    shipper: OrderAddressRecord | None
    consignee: OrderAddressRecord | None
    packages: list[OrderPackageRecord]
    signature_required: bool
    third_party_held: bool
    replaces_order_id: int | None
    replaced_by_order_id: int | None
    partner_offer_id: Annotated[
        int | None, doc("The offer by which another business gave it to this one; null for the business's own.")
    ]
    steps: list[OrderStepRecord]
    tax: Annotated[int | UnsetType, price(LOCAL, "Tax within the total, in minor units.")] = UNSET
    price_details: Annotated[list[OrderPriceLine] | UnsetType, price(LOCAL, "The lines before tax.")] = UNSET


class CreatedOrder(Answer):
    """An order that was created, or that existed already under its reference."""

    result: bool = True
    order: Annotated[OrderRecord, brief_for_agents(*CREATED)]
    existing: Annotated[bool, for_agents("filled", "True when the reference existed and nothing was created.")] = False
    warnings: Annotated[list[OrderWarning], for_agents("filled", "What is odd, such as no coordinates of an end.")] = []


class OrderAnswer(Answer):
    """One order."""

    result: bool = True
    order: OrderDetail


class OrderList(PagedAnswer):
    """A page of orders, newest first."""

    orders: list[OrderRecord]
    next_cursor: Annotated[str | None, for_agents("filled", "Continues the list; null at its end.")] = None


class OrderUpdateResult(Answer):
    """The order after the change."""

    result: bool = True
    message: str
    order: Annotated[OrderRecord, brief_for_agents(*CHANGED)]


class OrderStepError(Answer):
    """One order that was not changed."""

    order_id: int
    code: Annotated[str, doc("Why, for programs.", "ORDER_STEP_REFUSED")]
    message: Annotated[str, doc("Why, in the caller's language.")]


class OrdersUpdateResult(Answer):
    """The outcome for each order. `changed` and `skipped` add up to the distinct orders named."""

    result: Annotated[bool, doc("Whether at least one order was changed.")]
    changed: int
    skipped: int
    order_ids: Annotated[list[int], doc("The orders that were changed.")]
    errors: Annotated[list[OrderStepError], doc("Those that were not, and why.")]


class PriceChange(Priced):
    """What a change does to the price."""

    before: Annotated[int | UnsetType, price(LOCAL, "Total with tax before, in minor units.")] = UNSET
    after: Annotated[int | UnsetType, price(LOCAL, "Total with tax now, in minor units.")] = UNSET
    difference: Annotated[int | UnsetType, price(LOCAL, "How much more it is now, in minor units.")] = UNSET


class ReroutedOrder(Answer):
    """The order that was cancelled, and the one that replaces it."""

    result: bool = True
    cancelled_order_id: int
    order: Annotated[OrderRecord, brief_for_agents(*MOVED)]
    price: PriceChange
    contractor_id: Annotated[int | None, doc("The contractor who held the old order and holds the new one.")] = None
    warnings: Annotated[list[OrderWarning], for_agents("filled", "What is odd about the new order.")] = []


class OrderSnapshot(Answer):
    """An order at a glance."""

    result: bool = True
    order: OrderRecord
    holder: Annotated[str | None, doc("Who holds it: contractor, driver or nobody.")]
    last_step: OrderStepRecord | None
    steps: int
    packages: int
