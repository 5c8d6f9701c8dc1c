"""What goes in and out of third-party delivery."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.marketplace.partners.rules import PartnerOfferStatus, PartnerReport, PartnershipState
from haulier.contexts.orders.delivery_orders.contract.terms import OrderTerms
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Latitude, Longitude, Name, Note, OrderIds, Reason, RecordId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.postal_codes import PostalPrefix

LOCAL = PriceFamily.LOCAL_DELIVERY
MONEY_MAX = 10**12
PULL_MAX = 100
DAY_MIN, WEEK_MIN = 24 * 60, 7 * 24 * 60
PartnerMoney = Annotated[int, Field(ge=0, le=MONEY_MAX)]
PartnerOfferIds = Annotated[list[RecordId], Field(min_length=1, max_length=1000)]
BusinessCode = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$")]


class ProposePartnership(Request):
    """What to propose to another business."""

    business: BusinessCode
    """The code of the other business."""
    role: Literal["give", "take"] = "give"
    """Whether we would give orders to them, or take orders from them."""
    respond_within_min: int = Field(default=60, ge=1, le=WEEK_MIN)
    """How many minutes the taker has to answer an offer that says nothing else."""
    note: Note | None = None
    """What both should know: terms, where to call."""


class PartnershipRef(Request):
    """Which partnership."""

    partnership_id: RecordId
    """The partnership's id."""


class EndPartnership(PartnershipRef):
    """A partnership to end, or a proposal to decline or take back."""

    reason: Reason | None = None
    """Why; both see it."""


class ListPartnerships(PageRequest):
    """Which partnerships to list."""

    state: PartnershipState | None = None
    """Only those that stand there."""
    role: Literal["give", "take"] | None = None
    """Only those in which we give, or take."""


class OfferOrdersToPartner(Request):
    """Orders for a partner to take."""

    partnership_id: RecordId
    """A partnership in force in which we give."""
    order_ids: OrderIds
    """The orders: new ones, or those whose attempt failed, that nobody has."""
    respond_by: Moment | None = None
    """Until when they can be taken; what the partnership says when left out."""
    fee_most_minor: PartnerMoney | None = None
    """What we pay for each at most, in minor units of our currency."""
    note: Note | None = None
    """What the partner should know of them."""


class WithdrawPartnerOffers(Request):
    """Offers to take back."""

    offer_ids: PartnerOfferIds
    """The offers. Those that were answered already stay as they are."""
    reason: Reason | None = None
    """Why; the partner sees it."""


class OfferRef(Request):
    """An order that a partner has, to take back."""

    offer_id: RecordId
    """The offer by which they have it."""
    reason: Reason | None = None
    """Why; the partner sees it."""


class ListPartnerOffers(PageRequest):
    """Which offers to list."""

    status: PartnerOfferStatus | None = None
    """Only those that stand there."""
    partnership_id: RecordId | None = None
    """Only those under this partnership."""
    order_id: RecordId | None = None
    """Only those of this order."""


class ListPartnerOrders(PageRequest):
    """Which orders that others offered us to list."""

    status: PartnerOfferStatus | None = None
    """Only those that stand there."""
    partnership_id: RecordId | None = None
    """Only those under this partnership."""
    day: Day | None = None
    """Only those for this day."""
    postal_prefix: PostalPrefix | None = None
    """Filter by the beginning of the stop's postal code. Case, spaces and hyphens do not count."""


class PullPartnerOrders(Request):
    """The next offers that nobody pulled yet."""

    limit: int = Field(default=20, ge=1, le=PULL_MAX)
    """How many at most."""
    partnership_id: RecordId | None = None
    """Only those under this partnership."""


class PartnerOrderRef(Request):
    """Which order that was offered to us."""

    offer_id: RecordId
    """The offer's id."""


class AcceptPartnerOrder(PartnerOrderRef):
    """An order to take."""

    reference: Name | None = None
    """Our own number for it, which becomes the reference of our order; the giver sees it."""
    quote_minor: PartnerMoney | None = None
    """What we charge, in minor units of the giver's currency."""


class DeclinePartnerOrder(PartnerOrderRef):
    """An order not to take, or to hand back."""

    reason: Reason
    """Why; the giver sees it."""


class ReportPartnerOrder(PartnerOrderRef):
    """What happened to an order that we have."""

    report: PartnerReport
    """What happened."""
    at: Moment | None = None
    """When; now when left out."""
    incident: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9_-]+$")] | None = None
    """Why it went wrong: a code of the giver's return reasons, such as `recipient_absent`."""
    note: Note | None = None
    """Words to it."""
    recipient: Name | None = None
    """Who took it."""
    lat: Latitude | None = None
    """Where; degrees north."""
    lng: Longitude | None = None
    """Where; degrees east."""


class Partnership(Answer):
    """An agreement under which one business may offer orders to another."""

    id: int
    state: PartnershipState
    role: Annotated[str, doc("Whether we `give` or `take`.")]
    business: Annotated[str, doc("The code of the other business.")]
    proposed_by_us: bool
    respond_within_min: int
    note: str | None
    proposed_at: datetime
    accepted_at: datetime | None
    ended_at: datetime | None
    ended_by_us: bool | None
    reason: Annotated[str | None, doc("Why it ended.")]


class PartnershipAnswer(Answer):
    """One partnership."""

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
    """What an order is before it is taken: enough to judge it, and nothing about a person.

    A term of the order is shown unless `without` names it: `day` holds the date, the instruction comes with an accepted order,
    and the others are between the giver and its own people.
    """

    type: str
    day: date | None
    city: str | None
    postal_code: str | None
    weight_g: int
    packages: int


class PartnerOffer(Priced):
    """An order offered to a partner, as the giver sees it."""

    id: int
    order_id: int
    partnership_id: int
    partner: Annotated[str, doc("The code of the business it is offered to.")]
    status: PartnerOfferStatus
    offered_at: datetime
    respond_by: datetime
    pulled_at: Annotated[datetime | None, doc("When the partner fetched it.")]
    answered_at: datetime | None
    ended_at: datetime | None
    reason: str | None
    reference: Annotated[str | None, doc("The partner's own number for it.")]
    last_report: PartnerReport | None
    reported_at: datetime | None
    note: str | None
    fee_most_minor: Annotated[int | UnsetType, price(LOCAL, "What the giver pays at most, in minor units.")] = UNSET
    quote_minor: Annotated[int | UnsetType, price(LOCAL, "What the partner charges, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class PartnerOfferResult(Answer):
    """The offers that were made, and the orders of which none was."""

    result: bool
    offers: list[PartnerOffer]
    errors: list[OrderError]


class PartnerOfferAnswer(Answer):
    """One offer that was made."""

    result: bool = True
    offer: PartnerOffer


class PartnerOfferWithdrawal(Answer):
    """The offers that were taken back. Those asked for and not named here were answered or over."""

    result: bool = True
    withdrawn: list[int]


class PartnerOffers(PagedAnswer):
    """A page of offers made, newest first."""

    offers: list[PartnerOffer]


class PartnerOrderAddress(Answer):
    """Where goods are fetched or brought."""

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
        """The part of an address that a driver needs."""
        return address and cls(**{name: address.get(name) for name in cls.__struct_fields__})


class PartnerOrder(Priced):
    """An order that another business offered us."""

    offer_id: int
    partnership_id: int
    giver: Annotated[str, doc("The code of the business that offers it.")]
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
    own_order_id: Annotated[
        int | None, doc("Our own order of it, which is planned and driven; null before it is taken.")
    ]
    tracking_number: Annotated[str | UnsetType, doc("The giver's. Only while we have it.")] = UNSET
    shipper: Annotated[PartnerOrderAddress | UnsetType | None, doc("Only while we have it.")] = UNSET
    consignee: Annotated[PartnerOrderAddress | UnsetType | None, doc("Only while we have it.")] = UNSET
    delivery_instruction: Annotated[str | UnsetType | None, doc("Only while we have it.")] = UNSET
    custom_fields: Annotated[
        dict[str, Any] | UnsetType, doc("The giver's own fields that are shared with partners. Only while we have it.")
    ] = UNSET
    fee_most_minor: Annotated[int | UnsetType, price(LOCAL, "What the giver pays at most, in minor units.")] = UNSET
    quote_minor: Annotated[int | UnsetType, price(LOCAL, "What we charge, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217, the giver's.")] = UNSET


class PartnerOrderAnswer(Answer):
    """One order that another business offered us."""

    result: bool = True
    partner_order: PartnerOrder


class PulledPartnerOrders(Answer):
    """The offers that were pulled by this call, and by no other."""

    result: bool = True
    partner_orders: list[PartnerOrder]


class PartnerOrderList(PagedAnswer):
    """A page of orders that others offered us, newest first."""

    partner_orders: list[PartnerOrder]
