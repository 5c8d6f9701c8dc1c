"""Rules for offers: status, allowed actions, and effects of reports."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP, PICKUP_FULFILMENT
from haulier.kernel.operations.errors import OperationError, declare_error

PARTNERSHIP_EXISTS = declare_error("partnership_exists", 409)
PARTNERSHIP_NOT_ANSWERABLE = declare_error("partnership_not_answerable", 409)
PARTNERSHIP_NOT_IN_FORCE = declare_error("partnership_not_in_force", 409)
PARTNER_OFFER_CLOSED = declare_error("partner_offer_closed", 409)
PARTNER_ORDER_GONE = declare_error("partner_order_gone", 409)
PARTNER_QUOTE_TOO_HIGH = declare_error("partner_quote_too_high", 409)
PARTNER_ORDER_NOT_HELD = declare_error("partner_order_not_held", 409)
PARTNER_REPORT_OUT_OF_TURN = declare_error("partner_report_out_of_turn", 409)
PARTNER_ORDER_ON_ROUTE = declare_error("partner_order_on_route", 409)
ORDER_OFFERED_ALREADY = declare_error("order_offered_already", 409)
ORDER_FOR_CARRIER = declare_error("order_for_carrier", 409)
ORDER_COD_CURRENCY = declare_error("order_cod_currency", 409)

THIRD_PARTY, CARRIER = "third_party", "carrier"
PARTNERS_QUOTED = 20
"""Maximum number of partners whose rates are compared for an order."""
OFFERABLE_STATUSES = frozenset({"NEW_ORDER", "FAILED"})
"""Statuses of orders that can be offered and accepted."""


class PartnershipState(StrEnum):
    """The state of a partnership."""

    PROPOSED = "proposed"
    IN_FORCE = "in_force"
    ENDED = "ended"


class PartnerOfferStatus(StrEnum):
    """Status of an offer. `expired` follows from the time and is not stored."""

    OFFERED = "offered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    LOST = "lost"
    DECLINED = "declined"
    ACCEPTED = "accepted"
    HANDED_BACK = "handed_back"
    DELIVERED = "delivered"
    RETURNED = "returned"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


class PartnerReport(StrEnum):
    """Kind of a partner's report."""

    PICKED_UP = "picked_up"
    IN_TRANSIT = "in_transit"
    DELAYED = "delayed"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    FAILED = "failed"
    RETURNED = "returned"
    REJECTED = "rejected"


FINAL_REPORTS = {
    PartnerReport.DELIVERED: PartnerOfferStatus.DELIVERED,
    PartnerReport.RETURNED: PartnerOfferStatus.RETURNED,
    PartnerReport.REJECTED: PartnerOfferStatus.REJECTED,
}
"""Reports that end the partner's work on an order."""

REPORT_TRANSITIONS = {
    PartnerReport.PICKED_UP: ("pick_up", "PICKED_UP"),
    PartnerReport.OUT_FOR_DELIVERY: ("start", "OUT_FOR_DELIVERY"),
    PartnerReport.DELIVERED: ("deliver", "DELIVERED"),
    PartnerReport.FAILED: ("fail", "FAILED"),
    PartnerReport.RETURNED: ("return", "RETURNED"),
    PartnerReport.REJECTED: ("reject", "REJECTED"),
}
"""Order step and resulting status of each report. Other reports are informational."""

DEPARTURE_REPORTS = frozenset({PartnerReport.PICKED_UP, PartnerReport.OUT_FOR_DELIVERY})
"""Reports that start another attempt after a failed one."""


REPORT_OF_STATUS = {status: report for report, (_, status) in REPORT_TRANSITIONS.items()}
"""Report for each status of a partner's own order."""

CODES_OF_STATUS = {
    "PICKED_UP": ("picked_up",),
    "OUT_FOR_DELIVERY": ("out_for_delivery", "out_for_pickup"),
    "DELIVERED": ("delivered",),
    "FAILED": ("delivery_failed", "pickup_failed"),
    "RETURNED": ("returned",),
    "REJECTED": ("rejected",),
}
"""Tracking codes for steps to a status."""

_TO_PLANNED = {"HOLD": ("release", "plan"), "NEW_ORDER": ("plan",), "FAILED": ("plan",), "PLANNED": ()}
_FROM_PLANNED = {
    "PLANNED": (),
    "PICKED_UP": ("pick_up",),
    "OUT_FOR_DELIVERY": ("start",),
    "DELIVERED": ("start", "deliver"),
    "FAILED": ("start", "fail"),
    "RETURNED": ("start", "return"),
    "REJECTED": ("start", "reject"),
}
_UNDER_WAY = frozenset({"PICKED_UP", "OUT_FOR_DELIVERY"})


def steps_to_status(status: str, reached: str) -> tuple[str, ...]:
    """Return the steps from one status to another, or none if there is no path."""
    if status == reached or reached not in _FROM_PLANNED:
        return ()
    if status in _UNDER_WAY:
        return _FROM_PLANNED[reached][-1:]
    if (status, reached) == ("FAILED", "RETURNED"):
        return ("return",)
    return (*_TO_PLANNED[status], *_FROM_PLANNED[reached]) if status in _TO_PLANNED else ()


class OfferableOrder(Struct, frozen=True, kw_only=True):
    """Data of an offered order for the rules.

    `route_id` and `holder_id` show who else may have it.
    """

    order_id: int
    status: str
    fulfilment: str = "self_delivery"
    third_party_held: bool = False
    route_id: int | None = None
    holder_id: int | None = None
    cod: bool = False


def current_offer_status(status: PartnerOfferStatus, respond_by: datetime, now: datetime) -> PartnerOfferStatus:
    """Return the current status of an offer. An unanswered one expires."""
    return PartnerOfferStatus.EXPIRED if status is PartnerOfferStatus.OFFERED and now >= respond_by else status


def is_order_available(order: OfferableOrder) -> bool:
    """Return True if an order waits for planning and is not held."""
    return (
        order.status in OFFERABLE_STATUSES
        and not order.third_party_held
        and order.route_id is None
        and order.holder_id is None
    )


def check_partner_offer(order: OfferableOrder, *, offered: bool, same_currency: bool) -> OperationError | None:
    """Return the reason why an order cannot be offered to a partner, or None.

    `offered` is True if the partner already has the offer.
    """
    if order.fulfilment == PICKUP_FULFILMENT:
        return ORDER_FOR_PICKUP(order_id=order.order_id)
    if order.fulfilment == CARRIER:
        return ORDER_FOR_CARRIER(order_id=order.order_id)
    if not is_order_available(order):
        return PARTNER_ORDER_GONE()
    if order.cod and not same_currency:
        return ORDER_COD_CURRENCY(order_id=order.order_id)
    return ORDER_OFFERED_ALREADY(order_id=order.order_id) if offered else None


def check_partner_acceptance(
    status: PartnerOfferStatus, order: OfferableOrder | None, quote_minor: int | None, most_minor: int | None
) -> OperationError | None:
    """Return the reason why a partner cannot accept an order, or None.

    `most_minor` is the giver's maximum fee.
    """
    if status is not PartnerOfferStatus.OFFERED:
        return PARTNER_OFFER_CLOSED(status=status.value)
    if order is None or not is_order_available(order):
        return PARTNER_ORDER_GONE()
    if most_minor is not None and (quote_minor or 0) > most_minor:
        return PARTNER_QUOTE_TOO_HIGH()
    return None
