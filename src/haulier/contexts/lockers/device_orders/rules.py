"""The life of an order of devices and of a return, and what is wrong with either."""

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
"""So many days, today among them, a draft keeps its prices: until midnight."""
RESERVED_FOR = timedelta(days=7)
"""For so long a confirmed order keeps its pieces without being paid; it is cancelled then."""


class DeviceOrderStatus(StrEnum):
    """How far an order is."""

    DRAFT = "draft"
    CONFIRMED = "confirmed"
    """Its pieces are taken from stock."""
    PAID = "paid"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    ACTIVE = "active"
    """Something of it is in use."""
    RETURNED = "returned"
    """Everything went back."""
    CANCELLED = "cancelled"


class DeviceOrderStep(StrEnum):
    """What is done with an order."""

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
    """The status that a step leads to. Raises `DEVICE_ORDER_STEP_REFUSED`."""
    return DEVICE_ORDER_LIFE.next_status_or_raise(step, DeviceOrderStatus(status))


def device_order_can(step: DeviceOrderStep, status: str) -> bool:
    """Whether a step can be taken."""
    return step in DEVICE_ORDER_LIFE.actions(DeviceOrderStatus(status))


class DeviceReturnStatus(StrEnum):
    """How far a return is."""

    REQUESTED = "requested"
    RECEIVED = "received"
    """The devices are here; what the customer gets is not decided."""
    REFUNDED = "refunded"
    REPLACED = "replaced"
    REFUSED = "refused"
    CANCELLED = "cancelled"


class DeviceReturnStep(StrEnum):
    """What is done with a return."""

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
    """The status that a step leads to. Raises `DEVICE_RETURN_STEP_REFUSED`."""
    return DEVICE_RETURN_LIFE.next_status_or_raise(step, DeviceReturnStatus(status))


def require_as_many(named: Iterable[str], expected: Mapping[str, int]) -> None:
    """As many devices of each product as there must be. Raises `DEVICE_SERIALS_MISMATCH`, of the first that is wrong."""
    given = Counter(named)
    for code in sorted(given.keys() | expected.keys()):
        if given[code] != expected.get(code, 0):
            raise DEVICE_SERIALS_MISMATCH(product_code=code, expected=expected.get(code, 0), given=given[code])


def mermaid() -> str:
    """The life of an order of devices as a diagram."""
    return DEVICE_ORDER_LIFE.mermaid()
