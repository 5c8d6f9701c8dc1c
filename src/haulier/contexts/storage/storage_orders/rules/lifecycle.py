"""The life of an order for storage."""

from datetime import timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

STORAGE_STEP_REFUSED = declare_error("storage_step_refused", 409)
STORAGE_QUOTE_EXPIRED = declare_error("storage_quote_expired", 409)
STORAGE_NOT_EMPTY = declare_error("storage_not_empty", 409)
NOTHING_OWED = declare_error("nothing_owed", 409)
QUOTE_LIFE = timedelta(hours=24)
"""For so long a quoted price is honoured."""


class StorageOrderStatus(StrEnum):
    """The status of an order for storage."""

    PENDING = "pending"
    """The business has not agreed yet."""
    CONFIRMED = "confirmed"
    STORED = "stored"
    """Something of it is or was in stock."""
    CLOSED = "closed"
    CANCELLED = "cancelled"


class StorageOrderStep(StrEnum):
    """What is done with an order for storage."""

    CONFIRM = "confirm"
    RECEIVE = "receive"
    CLOSE = "close"
    CANCEL = "cancel"


_S = StorageOrderStatus


def _refused(step: StorageOrderStep, status: StorageOrderStatus) -> OperationError:
    return STORAGE_STEP_REFUSED(step=step.value, status=status.value)


STORAGE_ORDER_LIFE = StateMachine(
    {
        StorageOrderStep.CONFIRM: {_S.PENDING: _S.CONFIRMED},
        StorageOrderStep.RECEIVE: {_S.CONFIRMED: _S.STORED, _S.STORED: _S.STORED},
        StorageOrderStep.CLOSE: {_S.STORED: _S.CLOSED},
        StorageOrderStep.CANCEL: {_S.PENDING: _S.CANCELLED, _S.CONFIRMED: _S.CANCELLED},
    },
    created={_S.PENDING: "ordered"},
    error=_refused,
)


def next_storage_status(step: StorageOrderStep, status: str) -> StorageOrderStatus:
    """The status that a step leads to. Raises `STORAGE_STEP_REFUSED`."""
    return STORAGE_ORDER_LIFE.next_status_or_raise(step, StorageOrderStatus(status))


def can_be_paid(status: str, balance_minor: int) -> bool:
    """Whether something is to be paid."""
    return balance_minor > 0 and status != StorageOrderStatus.CANCELLED


def can_be_cancelled(status: str) -> bool:
    """Whether the order can be called off: until something of it is in stock."""
    return StorageOrderStep.CANCEL in STORAGE_ORDER_LIFE.actions(StorageOrderStatus(status))
