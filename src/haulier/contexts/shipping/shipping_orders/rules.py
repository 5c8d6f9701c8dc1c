"""What can be done with a shipping order, and in which state."""

from enum import StrEnum

from haulier.contexts.billing.services.contract import ServiceKind
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

SHIPPING_ORDER_STEP_REFUSED = declare_error("shipping_order_step_refused", 409)
SHIPPING_ORDER_REF_TAKEN = declare_error("shipping_order_ref_taken", 409)
SHIPPING_ORDER_QUOTE_MISMATCH = declare_error("shipping_order_quote_mismatch", 409)
SHIPPING_ORDER_PAID = declare_error("shipping_order_paid", 409)

ORDERABLE_KINDS = frozenset({ServiceKind.PARCEL, ServiceKind.LTL, ServiceKind.MOVING})


class ShippingOrderState(StrEnum):
    """The state of a shipping order. Whether it is paid is another matter."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class ShippingOrderStep(StrEnum):
    """What is done with a shipping order."""

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
    """Whether an order can still be cancelled."""
    return ShippingOrderStep.CANCEL in SHIPPING_ORDER_LIFE.actions(ShippingOrderState(state))


def can_be_paid(state: str, total_minor: int, paid_minor: int) -> bool:
    """Whether something of an order is still to be paid."""
    return state != ShippingOrderState.CANCELLED and paid_minor < total_minor
