"""Life cycles of device orders and returns, and their errors."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

DEVICE_ORDER_STEP_REFUSED = declare_error("device_order_step_refused", 409)
DEVICE_PRICES_EXPIRED = declare_error("device_prices_expired", 409)
DEVICE_OUT_OF_STOCK = declare_error("device_out_of_stock", 409)
DEVICE_STOCK_REFUSED = declare_error("device_stock_refused", 409)
DEVICE_SERIALS_MISMATCH = declare_error("device_serials_mismatch", 409)
DEVICE_NOT_RETURNABLE = declare_error("device_not_returnable", 409)
DEVICE_RETURN_STEP_REFUSED = declare_error("device_return_step_refused", 409)
DEVICE_REFUND_TOO_MUCH = declare_error("device_refund_too_much", 409)

PRICES_LIFE = timedelta(days=7)
"""Period for which a draft keeps its prices. It ends at midnight; today counts as a day."""
RESERVED_FOR = timedelta(days=7)
"""Period for which a confirmed order reserves stock. Unpaid orders are cancelled afterwards."""


class DeviceOrderStatus(StrEnum):
    """Status of a device order."""

    DRAFT = "draft"
    CONFIRMED = "confirmed"
    """Stock is reserved."""
    PAID = "paid"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    ACTIVE = "active"
    """At least one device is in use."""
    RETURNED = "returned"
    """All devices were returned."""
    CANCELLED = "cancelled"


class DeviceOrderStep(StrEnum):
    """Step in the life of a device order."""

    UPDATE = "update"
    CONFIRM = "confirm"
    PAY = "pay"
    SHIP = "ship"
    DELIVER = "deliver"
    ACTIVATE = "activate"
    REQUEST_RETURN = "request_return"
    RETURN = "return"
    CANCEL = "cancel"


_S, _T = DeviceOrderStatus, DeviceOrderStep
_OUT = (_S.SHIPPED, _S.DELIVERED, _S.ACTIVE)


def _refused(step: DeviceOrderStep, status: DeviceOrderStatus) -> OperationError:
    return DEVICE_ORDER_STEP_REFUSED(step=step.value, status=status.value)


DEVICE_ORDER_LIFE = StateMachine(
    {
        _T.UPDATE: {_S.DRAFT: _S.DRAFT},
        _T.CONFIRM: {_S.DRAFT: _S.CONFIRMED},
        _T.PAY: {_S.CONFIRMED: _S.PAID},
        _T.SHIP: {_S.PAID: _S.SHIPPED},
        _T.DELIVER: {_S.SHIPPED: _S.DELIVERED},
        _T.ACTIVATE: dict.fromkeys(_OUT, _S.ACTIVE),
        _T.REQUEST_RETURN: {status: status for status in _OUT},
        _T.RETURN: dict.fromkeys(_OUT, _S.RETURNED),
        _T.CANCEL: dict.fromkeys((_S.DRAFT, _S.CONFIRMED, _S.PAID), _S.CANCELLED),
    },
    created={_S.DRAFT: "ordered"},
    error=_refused,
)


def next_device_order_status(step: DeviceOrderStep, status: str) -> DeviceOrderStatus:
    """Return the status after a step. Raises `DEVICE_ORDER_STEP_REFUSED`."""
    return DEVICE_ORDER_LIFE.next_status_or_raise(step, DeviceOrderStatus(status))


def device_order_can(step: DeviceOrderStep, status: str) -> bool:
    """Return True if the step is allowed."""
    return step in DEVICE_ORDER_LIFE.actions(DeviceOrderStatus(status))


class DeviceReturnStatus(StrEnum):
    """Status of a device return."""

    REQUESTED = "requested"
    RECEIVED = "received"
    """The devices were received and await settlement."""
    REFUNDED = "refunded"
    REPLACED = "replaced"
    REFUSED = "refused"
    CANCELLED = "cancelled"


class DeviceReturnStep(StrEnum):
    """Step in the life of a device return."""

    RECEIVE = "receive"
    REFUND = "refund"
    REPLACE = "replacement"
    REFUSE = "refused"
    CANCEL = "cancel"


_R = DeviceReturnStatus


def _return_refused(step: DeviceReturnStep, status: DeviceReturnStatus) -> OperationError:
    return DEVICE_RETURN_STEP_REFUSED(step=step.value, status=status.value)


DEVICE_RETURN_LIFE = StateMachine(
    {
        DeviceReturnStep.RECEIVE: {_R.REQUESTED: _R.RECEIVED},
        DeviceReturnStep.REFUND: {_R.RECEIVED: _R.REFUNDED},
        DeviceReturnStep.REPLACE: {_R.RECEIVED: _R.REPLACED},
        DeviceReturnStep.REFUSE: {_R.REQUESTED: _R.REFUSED},
        DeviceReturnStep.CANCEL: {_R.REQUESTED: _R.CANCELLED},
    },
    created={_R.REQUESTED: "asked for"},
    error=_return_refused,
)


def next_return_status(step: DeviceReturnStep, status: str) -> DeviceReturnStatus:
    """Return the status after a step. Raises `DEVICE_RETURN_STEP_REFUSED`."""
    return DEVICE_RETURN_LIFE.next_status_or_raise(step, DeviceReturnStatus(status))


def require_as_many(named: Iterable[str], expected: Mapping[str, int]) -> None:
    """Require the expected number of devices of each product.

    Raises `DEVICE_SERIALS_MISMATCH` for the first mismatch.
    """
    given = Counter(named)
    for code in sorted(given.keys() | expected.keys()):
        if given[code] != expected.get(code, 0):
            raise DEVICE_SERIALS_MISMATCH(product_code=code, expected=expected.get(code, 0), given=given[code])


def mermaid() -> str:
    """Render the life of a device order as a Mermaid diagram."""
    return DEVICE_ORDER_LIFE.mermaid()
