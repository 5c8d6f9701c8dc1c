"""Request and response models of delivery orders: orders."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, PrivateAttr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.custom_fields.fields import FieldValues, ShownValues, values_of
from haulier.contexts.identity.fields import Language
from haulier.contexts.orders.delivery_orders.contract.items import GoodsPlace, OrderItem, OrderItemRecord
from haulier.contexts.orders.delivery_orders.rules.items import ITEMS_MAX, VALUE_MAX_MINOR
from haulier.contexts.orders.quotes.contract import AddressParts, LongText, NameText, OrderWarning, ShortText
from haulier.contexts.orders.quotes.rules import QUOTE_ID_MAX
from haulier.kernel.operations.answers import Answer, Priced, brief_for_agents, doc, for_agents, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.ids import DriverId, ForeignId, PartnerOrderId, UserId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer

PIECES_MAX = 200
"""Maximum number of packages per order."""
__all__ = ["PIECES_MAX", "LongText", "OrderAddress", "OrderAddressRecord", "Package", "ShortText"]


class OrderAddress(AddressParts):
    """A person or business with an address."""

    name: NameText = Field(min_length=1, examples=["Ada Lovelace"])
    """Name of the person or business."""
    address: ShortText = Field(min_length=1, examples=["100 Queen St W"])
    """Street and house number."""
    city: ShortText = Field(min_length=1, examples=["Toronto"])
    """City."""
    country: CountryCode = Field(examples=["CA"])
    """Country code (ISO 3166-1 alpha-2)."""


class Package(Request):
    """A package, or several identical ones."""

    weight_g: int = Field(default=1000, ge=0, le=50_000_000)
    """Weight of one package in grams."""
    length_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[300])
    """Length in millimetres."""
    width_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[200])
    """Width in millimetres."""
    height_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[150])
    """Height in millimetres."""
    quantity: int = Field(default=1, ge=1, le=PIECES_MAX)
    """Number of identical packages. Each has its own label."""
    description: ShortText | None = Field(default=None, examples=["Shoes"])
    """Description of the contents."""
    custom_fields: Annotated[FieldValues, values_of("package")] = {}
    """Values of the custom fields of packages."""


class OrderAddressRecord(Answer):
    """A person or business with an address."""

    name: str
    address: str
    city: str
    country: str
    unit: str | None = None
    region: str | None = None
    postal_code: str | None = None
    phone: str | None = None
    email: str | None = None
    lat: float | None = None
    lng: float | None = None
    notes: str | None = None


FOUND = (
    *("id", "order_ref", "tracking_number", "status", "scheduled_date", "window_start", "window_end"),
    *("customer_id", "driver_id", "driver_name", "route_id", "stop_number", "planned_arrival_at"),
    *("name", "address", "city", "postal_code", "allowed_actions", "price_hidden", "shipping_price", "currency"),
)
"""Fields of a found order: its identity, destination, holder and available actions."""
CREATED = (
    *("id", "order_ref", "tracking_number", "status", "scheduled_date", "window_start", "window_end"),
    *("price_hidden", "shipping_price", "currency"),
)
"""Fields of a created order that the caller does not know yet."""
MOVED = (*CREATED, "name", "address", "city", "postal_code")
"""Fields of an order recreated for another address."""
CHANGED = ("id", "order_ref", "status", "price_hidden", "shipping_price", "currency")
"""Fields of an order that the caller just changed."""


ReferenceName = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
SkillCode = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern="^[a-z0-9_-]+$")]


class OrderTerms(Request):
    """Terms of an order, each a column of the order table, with a default.

    `CreateOrder` extends it, `OrderDetail` and the goods of partners take their fields from it, and copies of an order
    keep it. A new field needs a line here, a column in the store and a migration.
    """

    scheduled_date: Day | None = None
    """Scheduled day in the time zone of the business. Default: the day of the delivery window."""
    window_start: Moment | None = None
    """Start of the delivery window, with UTC offset."""
    window_end: Moment | None = None
    """End of the delivery window, with UTC offset."""
    service_time_s: int = Field(default=180, ge=0, le=86_400)
    """Service time at the stop in seconds."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] = []
    """Skills or equipment required of the driver."""
    note: LongText | None = Field(default=None, examples=["Ring twice."])
    """Internal note for staff and drivers. Customers cannot read it."""
    delivery_instruction: LongText | None = Field(default=None, examples=["Leave it at the side door."])
    """Delivery instruction for the driver."""
    references: dict[ReferenceName, ShortText] = Field(default={}, max_length=20)
    """Identifiers of the order in other systems."""
    cod_minor: int | None = Field(default=None, ge=1, le=10**12, examples=[2500])
    """Cash to collect on delivery, in minor units of the business's currency."""
    photo_required: bool = False
    """If true, the driver must take a photo at delivery."""
    pin_required: bool = False
    """If true, the recipient must give a PIN to the driver. The PIN is generated, and only the recipient can see it."""
    minimum_age: int | None = Field(default=None, ge=1, le=99, examples=[19])
    """Minimum age of the recipient in years, checked by the driver."""
    language: Language | None = None
    """Language of messages to the recipient. Default: the language of the business."""


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
    """A new order. A repeat with the same `order_ref` returns the existing order."""

    type: OrderType = "D"
    """Type of order. D: delivery from the depot. P: pickup to the depot. P2P: point to point."""
    consignee: OrderAddress | None = None
    """Recipient. Required for D and P2P."""
    shipper: OrderAddress | None = None
    """Sender. Required for P and P2P. Default: the default sender of the customer's address book, or of yours."""
    recipient_address_id: Id | None = None
    """ID of an address book entry to copy as the recipient, instead of `consignee`."""
    sender_address_id: Id | None = None
    """ID of an address book entry to copy as the sender, instead of `shipper`."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Sender's reference, unique per customer."""
    packages: Annotated[list[Package], Field(min_length=1, max_length=PIECES_MAX)] = [Package()]
    """Packages, at most 200 including quantities. Those without a weight share the weight of the items equally."""
    items: Annotated[list[OrderItem], Field(max_length=ITEMS_MAX)] = []
    """Lines of the order: the ordered goods. They give the order its weight and goods value if these are omitted."""
    goods_value_minor: int | None = Field(default=None, ge=0, le=VALUE_MAX_MINOR, examples=[2500])
    """Value of the goods in minor units of `goods_currency`. Default: the sum of the items, if each has a price."""
    goods_currency: Currency | None = None
    """Currency of the goods value (ISO 4217). Default: the currency of the items, or of the business."""
    show_items_to_recipient: bool = False
    """If true, the recipient sees the description and quantity of each item on the tracking page."""
    signature_required: bool = False
    """If true, the recipient must sign."""
    service: Annotated[str, StringConstraints(max_length=30, pattern="^[a-z0-9_]+$")] = "standard"
    """Service of the rate card."""
    quote_id: Annotated[ForeignId, StringConstraints(max_length=QUOTE_ID_MAX, pattern="^[A-Za-z0-9_-]+$")] | None = (
        Field(default=None, examples=["eyJjbGllbnRfaWQiOjF9"])
    )
    """ID of a quote. The order gets the quoted price if it matches the quote."""
    customer_id: Id | None = None
    """Customer account of the order. Customers can only order for themselves."""
    fulfilment: Literal["self_delivery", "third_party", "carrier", "customer_pickup"] = "self_delivery"
    """Party that delivers: own drivers and contractors, another business, a parcel carrier, or pickup by the customer."""
    pickup_depot_id: Id | None = None
    """Depot where the customer collects the order. Sets `fulfilment` to `customer_pickup`."""
    custom_fields: Annotated[FieldValues, values_of("order")] = {}
    """Values of the custom fields of orders."""
    _sent_digest: bytes | None = PrivateAttr(default=None)
    _filled_items: Sequence[dict[str, Any]] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _has_its_ends(self) -> "CreateOrder":
        if self.consignee and self.recipient_address_id:
            raise PydanticCustomError("recipient_given_twice", "consignee or recipient_address_id, not both")
        if self.shipper and self.sender_address_id:
            raise PydanticCustomError("sender_given_twice", "shipper or sender_address_id, not both")
        if self.type in ("D", "P2P") and self.consignee is None and self.recipient_address_id is None:
            raise PydanticCustomError("consignee_needed", "consignee is required for D and P2P")
        if self.window_start and self.window_end and self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        if self.pickup_depot_id is not None:
            vars(self)["fulfilment"] = "customer_pickup"
        if self.fulfilment == "customer_pickup" and (self.type != "D" or self.pickup_depot_id is None):
            raise PydanticCustomError("pickup_needs_depot", "a pickup needs type D and pickup_depot_id")
        if sum(package.quantity for package in self.packages) > PIECES_MAX:
            raise PydanticCustomError("too_many_pieces", "at most {most} packages", {"most": PIECES_MAX})
        return self

    @property
    def sent_digest(self) -> bytes | None:
        """Digest of the request before its items were filled in; None if they were not."""
        return self._sent_digest

    @property
    def filled_items(self) -> Sequence[dict[str, Any]]:
        """Columns of the items once they were filled in."""
        return self._filled_items

    @property
    def is_filled(self) -> bool:
        """True if the items have their defaults, also without items."""
        return not self.items or self._sent_digest is not None

    def fill(self, digest: bytes, items: Sequence[dict[str, Any]]) -> None:
        """Keep the filled items, and the digest as sent: products can change later."""
        self._sent_digest, self._filled_items = digest, items

    @property
    def pieces(self) -> list[Package]:
        """Every physical piece by itself."""
        return [package for package in self.packages for _ in range(package.quantity)]

    @property
    def stop(self) -> OrderAddress:
        """Return the address that the driver visits: shipper for P, else consignee."""
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
        """Return the places checked against zones, by field.

        Those that the business's own drivers visit.
        """
        return {field: end.place for field, end in self.visited_ends.items() if self.fulfilment == "self_delivery"}


class OrderRef(Request):
    """Reference to an order."""

    order_id: Id
    """ID of the order."""


class UpdateOrderNote(OrderRef):
    """A new note."""

    note: LongText = Field(examples=["Ring twice."])
    """New note. It replaces the earlier note."""


class UpdateDeliveryInstruction(OrderRef):
    """A new delivery instruction."""

    delivery_instruction: LongText = Field(examples=["Leave it at the side door."])
    """New instruction. It replaces the earlier instruction."""


class OrderTransitionRequest(OrderRef):
    """Reason for a step of an order."""

    reason: Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["The customer called."]
    )
    """Reason, stored in the order history."""


class OrdersTransitionRequest(Request):
    """Reason for a step of several orders."""

    order_ids: Annotated[list[Id], Field(min_length=1, max_length=200)]
    """Orders to change. Repeated IDs count once."""
    reason: Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["The road is closed."]
    )
    """Reason, stored in the history of each order."""


class RerouteOrder(OrderRef):
    """New address of an order that is not picked up yet."""

    address: OrderAddress
    """New address."""


class OrderPriceLine(Priced):
    """A line of a price."""

    code: str
    amount: Annotated[int | UnsetType, price(LOCAL, "Amount in minor units.")] = UNSET


class OrderPackageRecord(Answer):
    """A package of an order."""

    id: int
    tracking_number: str
    weight_g: int
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    quantity: Annotated[
        int, doc("Always 1, as each package is listed separately. For older orders, the number of items inside.")
    ]
    description: str | None
    outcome: Annotated[
        str | None,
        doc("Outcome: delivered, missing, damaged, refused or returned. Null until known.", "delivered"),
    ]
    custom_fields: ShownValues


class OrderRecord(Priced):
    """An order in a list."""

    id: Annotated[int, doc("ID of the order.", 12345)]
    order_ref: str | None
    tracking_number: Annotated[str, doc("Public tracking number.", "HLTR16KD5632GCM")]
    type: Annotated[str, doc("Type of order: D, P or P2P.")]
    status: Annotated[str, doc("Status of the order.", "NEW_ORDER")]
    order_status_id: Annotated[int, for_agents("detail", "The status as a number.")]
    fulfilment: Annotated[str, for_agents("detail")]
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    customer_id: int | None
    contractor_id: int | None
    driver_id: Annotated[DriverId | None, doc("ID of the driver of its route. Hidden from customers.")]
    driver_name: str | None
    driver_user_id: Annotated[UserId | None, doc("User account of that driver, once the route is published.")]
    route_id: Annotated[int | None, doc("Route of the order. Hidden from customers.")]
    stop_number: Annotated[
        int | None,
        doc("Number of the next stop for the order on its route, starting at 1; the last one if all are completed."),
    ]
    planned_arrival_at: Annotated[datetime | None, doc("Planned arrival at that stop. Not a forecast.")]
    name: Annotated[str | None, doc("Contact at the stop.")]
    address: str | None
    city: str | None
    postal_code: str | None
    lat: Annotated[float | None, for_agents("detail")]
    lng: Annotated[float | None, for_agents("detail")]
    package_count: int
    weight_g: int
    attempts: Annotated[int, doc("Number of failed attempts.")]
    rating: Annotated[
        int | None,
        for_agents("filled", "Recipient's rating, from 1 to 5 stars. Hidden from drivers.", 4),
    ]
    created_at: datetime
    updated_at: Annotated[datetime, for_agents("detail")]
    custom_fields: Annotated[ShownValues, for_agents("filled")]
    allowed_actions: Annotated[list[str], doc("Steps available to the caller now.", ["hold", "plan", "cancel"])]
    shipping_price: Annotated[int | UnsetType, price(LOCAL, "Total including tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET
    items: Annotated[list[OrderItemRecord] | UnsetType, doc("Lines of the order, if requested.")] = UNSET


class OrderStepRecord(Answer):
    """A step in the history of an order."""

    step: str
    status: str
    at: datetime
    recorded_at: datetime
    by_user_id: UserId | None
    reason: str | None


class OrderDetail(OrderRecord, fields_of=OrderTerms):
    """An order with all details."""

    shipper: OrderAddressRecord | None
    consignee: OrderAddressRecord | None
    goods_at: Annotated[
        GoodsPlace | None,
        for_agents("filled", "Location of goods delivered to a wrong address; the next route collects them there."),
    ]
    packages: list[OrderPackageRecord]
    goods_value_minor: Annotated[int | UnsetType | None, price(LOCAL, "Value of the goods, in minor units.")] = UNSET
    goods_currency: Annotated[str | UnsetType | None, price(LOCAL, "Currency of the goods value (ISO 4217).")] = UNSET
    show_items_to_recipient: Annotated[bool, for_agents("detail")]
    pickup_depot_id: Annotated[int | None, for_agents("filled", "Depot where the customer collects the order.")]
    pickup_ready_at: Annotated[datetime | None, for_agents("filled", "Time since which it is ready for pickup.")]
    pickup_until: Annotated[date | None, for_agents("filled", "Last day on which it is held for pickup.")]
    signature_required: bool
    third_party_held: bool
    rating_comment: Annotated[str | None, for_agents("filled", "Recipient's comment. Hidden like the rating.")]
    rated_at: Annotated[datetime | None, for_agents("filled", "Time of the rating.")]
    replaces_order_id: int | None
    replaced_by_order_id: int | None
    partner_offer_id: Annotated[
        PartnerOrderId | None,
        doc("Offer through which another business passed the order on; null for the business's own orders."),
    ]
    steps: list[OrderStepRecord]
    tax: Annotated[int | UnsetType, price(LOCAL, "Tax included in the total, in minor units.")] = UNSET
    price_details: Annotated[list[OrderPriceLine] | UnsetType, price(LOCAL, "Price lines before tax.")] = UNSET


class CreatedOrder(Answer):
    """A created order, or the existing one with its reference."""

    result: bool = True
    order: Annotated[OrderRecord, brief_for_agents(*CREATED)]
    existing: Annotated[bool, for_agents("filled", "True when the reference existed and nothing was created.")] = False
    warnings: Annotated[list[OrderWarning], for_agents("filled", "Warnings, such as missing coordinates.")] = []


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
    """An order that was not changed."""

    order_id: int
    code: Annotated[str, doc("Machine-readable reason.", "ORDER_STEP_REFUSED")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class OrdersUpdateResult(Answer):
    """Outcome for each order.

    `changed` and `skipped` add up to the number of distinct orders.
    """

    result: Annotated[bool, doc("True if at least one order was changed.")]
    changed: int
    skipped: int
    order_ids: Annotated[list[int], doc("Orders that were changed.")]
    errors: Annotated[list[OrderStepError], doc("Orders that were not changed, with reasons.")]


class PriceChange(Priced):
    """Price change caused by a change of the order."""

    before: Annotated[int | UnsetType, price(LOCAL, "Previous total including tax, in minor units.")] = UNSET
    after: Annotated[int | UnsetType, price(LOCAL, "New total including tax, in minor units.")] = UNSET
    difference: Annotated[
        int | UnsetType, price(LOCAL, "Difference between the new and the previous price, in minor units.")
    ] = UNSET


class ReroutedOrder(Answer):
    """The cancelled order and its replacement."""

    result: bool = True
    cancelled_order_id: int
    order: Annotated[OrderRecord, brief_for_agents(*MOVED)]
    price: PriceChange
    contractor_id: Annotated[int | None, doc("Contractor that held the old order and holds the new one.")] = None
    warnings: Annotated[list[OrderWarning], for_agents("filled", "Warnings about the new order.")] = []


class OrderSnapshot(Answer):
    """Overview of an order."""

    result: bool = True
    order: OrderRecord
    holder: Annotated[str | None, doc("Holder of the order: a contractor, a driver or null.")]
    last_step: OrderStepRecord | None
    steps: int
    packages: int


class FindOrder(Request):
    """Text to search for."""

    search: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=2, max_length=100, pattern=r"^[^\x00]+$"),
        Field(examples=["Ada"]),
    ]
    """Reference or tracking number, or part of one, ignoring case; or a name, phone, email, street or postal code."""
    limit: int = Field(default=20, ge=1, le=100)
    """Maximum number of results."""


class OrderMatches(Answer):
    """Matching orders, newest first."""

    result: bool = True
    orders: Annotated[list[OrderRecord], brief_for_agents(*FOUND)]
