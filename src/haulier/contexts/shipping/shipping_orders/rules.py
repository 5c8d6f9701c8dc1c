"""Rules of shipping orders."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.billing.services.contract import Fulfilment, ServiceKind, ServiceMeasures, ServicePricing
from haulier.contexts.orders.quotes.contract import AddressParts
from haulier.contexts.shipping.shipping_orders.contract import ShippingOrderPackage
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error
from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.state_machine import StateMachine

MM3_IN_CM3 = 1_000


def measures_of(
    packages: Sequence[ShippingOrderPackage], consignee: AddressParts | None, shipper: AddressParts | None
) -> ServiceMeasures:
    """Return the price measures: packages, weight, known volume, beeline distance."""
    ends = (shipper.place if shipper else None, consignee.place if consignee else None)
    return ServiceMeasures(
        pieces=sum(package.quantity for package in packages),
        weight_g=sum(package.weight_g * package.quantity for package in packages),
        volume_cm3=-(-sum(_volume_mm3(package) for package in packages) // MM3_IN_CM3),
        distance_m=round(great_circle_m(ends[0], ends[1])) if ends[0] and ends[1] else 0,
        country=getattr(consignee, "country", None),
        postal_code=consignee.postal_code if consignee else None,
    )


def _volume_mm3(package: ShippingOrderPackage) -> int:
    if package.length_mm is None or package.width_mm is None or package.height_mm is None:
        return 0
    return package.length_mm * package.width_mm * package.height_mm * package.quantity


def missing_facts(
    pricing: ServicePricing,
    packages: Sequence[ShippingOrderPackage],
    consignee: AddressParts | None,
    shipper: AddressParts | None,
) -> Iterator[FieldError]:
    """Yield errors for missing price factors.

    Distance prices need coordinates, volume prices sizes.
    """
    if pricing.per_km_minor:
        for name, end in (("consignee", consignee), ("shipper", shipper)):
            if end is None or end.place is None:
                yield FieldError(f"{name}.lat", "field.missing")
    if pricing.per_cubic_metre_minor:
        for index, package in enumerate(packages):
            if not _volume_mm3(package):
                yield FieldError(f"packages.{index}.length_mm", "field.missing")


def sender_is_needed(pricing: ServicePricing, fulfilment: Collection[Fulfilment]) -> bool:
    """Return True if orders need a sender: a driver collects them before the carrier."""
    return len(fulfilment) > 1 or bool(pricing.per_km_minor)


SHIPPING_ORDER_STEP_REFUSED = declare_error("shipping_order_step_refused", 409)
SHIPPING_ORDER_REF_TAKEN = declare_error("shipping_order_ref_taken", 409)
SHIPPING_ORDER_QUOTE_MISMATCH = declare_error("shipping_order_quote_mismatch", 409)
SHIPPING_ORDER_PAID = declare_error("shipping_order_paid", 409)

ORDERABLE_KINDS = frozenset({ServiceKind.PARCEL, ServiceKind.LTL, ServiceKind.MOVING})


class ShippingOrderState(StrEnum):
    """State of a shipping order, independent of its payment."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class ShippingOrderStep(StrEnum):
    """Steps of a shipping order."""

    CONFIRM = "confirm"
    BEGIN = "begin"
    COMPLETE = "complete"
    CANCEL = "cancel"


_S = ShippingOrderState


def _refused(step: ShippingOrderStep, state: ShippingOrderState) -> OperationError:
    return SHIPPING_ORDER_STEP_REFUSED(step=step.value, state=state.value)


SHIPPING_ORDER_LIFE = StateMachine(
    {
        ShippingOrderStep.CONFIRM: {_S.PENDING: _S.CONFIRMED},
        ShippingOrderStep.BEGIN: {_S.CONFIRMED: _S.IN_PROGRESS},
        ShippingOrderStep.COMPLETE: {_S.CONFIRMED: _S.COMPLETED, _S.IN_PROGRESS: _S.COMPLETED},
        ShippingOrderStep.CANCEL: {_S.PENDING: _S.CANCELLED, _S.CONFIRMED: _S.CANCELLED},
    },
    created={_S.PENDING: "ordered"},
    error=_refused,
)
mermaid = SHIPPING_ORDER_LIFE.mermaid


def can_be_cancelled(state: str) -> bool:
    """Return True if an order can still be cancelled."""
    return ShippingOrderStep.CANCEL in SHIPPING_ORDER_LIFE.actions(ShippingOrderState(state))


def can_be_paid(state: str, total_minor: int, paid_minor: int) -> bool:
    """Return True if part of an order is unpaid."""
    return state != ShippingOrderState.CANCELLED and paid_minor < total_minor


BUY_ORDER_LABEL_JOB = "shipping.buy_order_label"
FOLLOW_DELIVERY_JOB = "shipping.follow_delivery"


class BuyOrderLabel(Struct, frozen=True):
    """Job arguments: an order whose label is bought."""

    shipping_order_id: int


class FollowDelivery(Struct, frozen=True):
    """Job arguments: a local delivery that moved."""

    order_id: int
    delivered: bool
