"""Request and response models for delivery by partners."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.marketplace.partners.rules import PartnerOfferStatus, PartnerReport, PartnershipState
from haulier.contexts.orders.delivery_orders.contract.orders import PIECES_MAX, OrderTerms
from haulier.contexts.orders.delivery_orders.rules.packages import LeftPieceOutcome
from haulier.contexts.otep.public import HandedTo
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, Note, OrderIds, Reason, RecordId
from haulier.kernel.operations.ids import PartnerOfferId, PartnerOrderId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.postal_codes import PostalPrefix

LOCAL = PriceFamily.LOCAL_DELIVERY
MONEY_MAX = 10**12
PULL_MAX = 100
DAY_MIN, WEEK_MIN = 24 * 60, 7 * 24 * 60
PartnerMoney = Annotated[int, Field(ge=0, le=MONEY_MAX)]
PartnerOfferIds = Annotated[list[PartnerOfferId], Field(min_length=1, max_length=1000)]
BusinessCode = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]


class ProposePartnership(Request):
    """Proposal of a partnership."""

    business: BusinessCode
    """Code of the other business."""
    role: Literal["give", "take"] = "give"
    """Role of your business: `give` orders to the other business, or `take` orders from it."""
    respond_within_min: int = Field(default=60, ge=1, le=WEEK_MIN)
    """Default response time for offers in minutes."""
    note: Note | None = None
    """Note visible to both businesses, such as terms and contacts."""


class PartnershipRef(Request):
    """Reference to a partnership."""

    partnership_id: RecordId
    """ID of the partnership."""


class EndPartnership(PartnershipRef):
    """Partnership to end, or proposal to decline or withdraw."""

    reason: Reason | None = None
    """Reason. Visible to both businesses."""


class SharePartnerRates(PartnershipRef):
    """Access of a giver to your rates."""

    shares_rates: bool
    """If true, the giver sees your rates for its orders. They are not binding."""


class ListPartnerships(PageRequest):
    """Filters of partnerships."""

    state: PartnershipState | None = None
    """Filter by state."""
    role: Literal["give", "take"] | None = None
    """Filter by the role of your business."""


class OfferOrdersToPartner(Request):
    """Orders to offer to a partner."""

    partnership_id: RecordId
    """Active partnership in which your business gives orders."""
    order_ids: OrderIds
    """Unassigned orders that are new or had a failed attempt."""
    respond_by: Moment | None = None
    """Deadline for accepting. Defaults to the partnership's response time."""
    fee_most_minor: PartnerMoney | None = None
    """Maximum fee per order in minor units of your currency."""
    note: Note | None = None
    """Note for the partner."""


class WithdrawPartnerOffers(Request):
    """Offers to withdraw."""

    offer_ids: PartnerOfferIds
    """Offers to withdraw. Answered offers do not change."""
    reason: Reason | None = None
    """Reason. Visible to the partner."""


class OfferRef(Request):
    """Order to take back from a partner."""

    offer_id: PartnerOfferId
    """Offer through which the partner has the order."""
    reason: Reason | None = None
    """Reason. Visible to the partner."""


class ListPartnerOffers(PageRequest):
    """Filters of offers made."""

    status: PartnerOfferStatus | None = None
    """Filter by status."""
    partnership_id: RecordId | None = None
    """Filter by partnership."""
    order_id: RecordId | None = None
    """Filter by order."""


class ListPartnerOrders(PageRequest):
    """Filters of orders offered by other businesses."""

    status: PartnerOfferStatus | None = None
    """Filter by status."""
    partnership_id: RecordId | None = None
    """Filter by partnership."""
    day: Day | None = None
    """Filter by day."""
    postal_prefix: PostalPrefix | None = None
    """Filter by the beginning of the stop's postal code. Case, spaces and hyphens are ignored."""


class PullPartnerOrders(Request):
    """Next offers that have not been pulled."""

    limit: int = Field(default=20, ge=1, le=PULL_MAX)
    """Maximum number of offers."""
    partnership_id: RecordId | None = None
    """Filter by partnership."""


class PartnerOrderRef(Request):
    """Reference to an order offered to your business."""

    offer_id: PartnerOrderId
    """ID of the offer."""


class AcceptPartnerOrder(PartnerOrderRef):
    """Offered order to accept."""

    reference: Name | None = None
    """Your own reference of the order. Visible to the giver."""
    quote_minor: PartnerMoney | None = None
    """Your price in minor units of the giver's currency."""


class DeclinePartnerOrder(PartnerOrderRef):
    """Offered order to decline or return."""

    reason: Reason
    """Reason. Visible to the giver."""


class UndeliveredPieceReport(Request):
    """A piece that was not handed over with the others."""

    barcode: Annotated[str, Field(min_length=1, max_length=64, pattern=NO_NUL, examples=["HLTR16KD5632GCM-2"])]
    """The tracking number of the piece, of the offered order or of your own."""
    outcome: LeftPieceOutcome
    """Reason why the package was not handed over."""


class ReportedOutcome(Request):
    """The result of a delivery."""

    handed_to: HandedTo | None = None
    """Receiver or place of the delivery. A neighbour needs `recipient`."""
    left_at: Name | None = Field(default=None, examples=["Behind the shed"])
    """The place where the delivery was left."""
    pieces: Annotated[list[UndeliveredPieceReport], Field(max_length=PIECES_MAX)] = []
    """Packages that were not handed over."""


class ReportPartnerOrder(PartnerOrderRef):
    """Report about an accepted order."""

    report: PartnerReport
    """Kind of report."""
    at: Moment | None = None
    """Time of the event. Defaults to now."""
    incident: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9_-]+$")] | None = None
    """Code of the giver's return reasons, such as `recipient_absent`."""
    note: Note | None = None
    """Note about the event."""
    recipient: Name | None = None
    """Name of the receiver."""
    lat: Latitude | None = None
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude | None = None
    """Longitude in decimal degrees (WGS 84)."""
    outcome: ReportedOutcome | None = None
    """`delivered`: who received the delivery, where it was left, and the pieces left."""


class Partnership(Answer):
    """Partnership under which one business may offer orders to another."""

    id: int
    state: PartnershipState
    role: Annotated[str, doc("Role of your business: `give` or `take`.")]
    business: Annotated[str, doc("Code of the other business.")]
    proposed_by_us: bool
    respond_within_min: int
    shares_rates: Annotated[bool, doc("True if the giver sees the rates of the partner for its orders.")]
    note: str | None
    proposed_at: datetime
    accepted_at: datetime | None
    ended_at: datetime | None
    ended_by_us: bool | None
    reason: Annotated[str | None, doc("Reason for the end.")]


class PartnershipAnswer(Answer):
    """Single partnership."""

    result: bool = True
    partnership: Partnership


class PartnershipList(PagedAnswer):
    """A page of partnerships, newest first."""

    partnerships: list[Partnership]


class PartnerGoods(
    Answer,
    fields_of=OrderTerms,
    without=("scheduled_date", "note", "delivery_instruction", "references"),
):
    """Order details before acceptance, without personal data.

    A term of the order is shown unless `without` names it: `day` holds the date, the instruction comes with an
    accepted order, and the others are internal to the giver.
    """

    type: str
    day: date | None
    city: str | None
    postal_code: str | None
    weight_g: int
    packages: int


class PartnerOffer(Priced):
    """Order offered to a partner, as the giver sees it."""

    id: int
    order_id: int
    partnership_id: int
    partner: Annotated[str, doc("Code of the partner.")]
    status: PartnerOfferStatus
    offered_at: datetime
    respond_by: datetime
    pulled_at: Annotated[datetime | None, doc("Time at which the partner pulled the offer.")]
    answered_at: datetime | None
    ended_at: datetime | None
    reason: str | None
    reference: Annotated[str | None, doc("Partner's own reference.")]
    last_report: PartnerReport | None
    reported_at: datetime | None
    note: str | None
    fee_most_minor: Annotated[int | UnsetType, price(LOCAL, "Maximum price for the giver, in minor units.")] = UNSET
    quote_minor: Annotated[int | UnsetType, price(LOCAL, "Price of the partner, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class PartnerOfferResult(Answer):
    """Offers that were made, and orders that could not be offered."""

    result: bool
    offers: list[PartnerOffer]
    errors: list[OrderError]


class PartnerOfferAnswer(Answer):
    """Single offer."""

    result: bool = True
    offer: PartnerOffer


class PartnerOfferWithdrawal(Answer):
    """Offers that were withdrawn. Requested offers missing here were answered or over."""

    result: bool = True
    withdrawn: list[int]


class PartnerOffers(PagedAnswer):
    """Page of offers made, newest first."""

    offers: list[PartnerOffer]


class PartnerOrderAddress(Answer):
    """Pickup or delivery address."""

    name: str | None = None
    address: str | None = None
    unit: str | None = None
    city: str | None = None
    region: str | None = None
    country: str | None = None
    postal_code: str | None = None
    phone: str | None = None
    lat: float | None = None
    lng: float | None = None
    notes: str | None = None

    @classmethod
    def from_address(cls, address: Any) -> "PartnerOrderAddress | None":
        """Return the part of an address that a driver needs."""
        return address and cls(**{name: address.get(name) for name in cls.__struct_fields__})


class PartnerOrder(Priced):
    """Order offered by another business."""

    offer_id: PartnerOrderId
    partnership_id: int
    giver: Annotated[str, doc("Code of the giver.")]
    status: PartnerOfferStatus
    offered_at: datetime
    respond_by: datetime
    pulled_at: datetime | None
    answered_at: datetime | None
    ended_at: datetime | None
    goods: PartnerGoods
    note: str | None
    reason: str | None
    reference: str | None
    last_report: PartnerReport | None
    reported_at: datetime | None
    own_order_id: Annotated[int | None, doc("Your own order, which is planned and driven. Null before acceptance.")]
    tracking_number: Annotated[
        str | UnsetType, doc("Giver's tracking number. Only while your business has the order.")
    ] = UNSET
    shipper: Annotated[
        PartnerOrderAddress | UnsetType | None, doc("Sender. Only while your business has the order.")
    ] = UNSET
    consignee: Annotated[
        PartnerOrderAddress | UnsetType | None, doc("Recipient. Only while your business has the order.")
    ] = UNSET
    delivery_instruction: Annotated[
        str | UnsetType | None, doc("Driver instruction. Only while your business has the order.")
    ] = UNSET
    custom_fields: Annotated[
        dict[str, Any] | UnsetType,
        doc("Giver's custom fields that are shared with partners. Only while your business has the order."),
    ] = UNSET
    fee_most_minor: Annotated[int | UnsetType, price(LOCAL, "Maximum price for the giver, in minor units.")] = UNSET
    quote_minor: Annotated[int | UnsetType, price(LOCAL, "Price of your business, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "Currency of the giver (ISO 4217).")] = UNSET


class PartnerOrderAnswer(Answer):
    """Single order offered by another business."""

    result: bool = True
    partner_order: PartnerOrder


class PulledPartnerOrders(Answer):
    """Offers pulled by this call and by no other."""

    result: bool = True
    partner_orders: list[PartnerOrder]


class PartnerOrderList(PagedAnswer):
    """Page of orders offered by other businesses, newest first."""

    partner_orders: list[PartnerOrder]
