"""Life cycles of purchases and items, and the tax in a price."""

from datetime import timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

SHOP_PRODUCT_CODE_TAKEN = declare_error("shop_product_code_taken", 409)
SHOP_SOLD_OUT = declare_error("shop_sold_out", 409)
SHOP_STEP_REFUSED = declare_error("shop_step_refused", 409)
SHOP_ITEM_IN_USE = declare_error("shop_item_in_use", 409)
SHOP_GUESTS_OFF = declare_error("shop_guests_off", 409)
SHOP_LINK_INVALID = declare_error("shop_link_invalid", 404)
RESTOCK_TASK_CLOSED = declare_error("restock_task_closed", 409)

RESERVE_MIN = 15
"""Default reservation time in minutes."""
PICKUP_HOURS = 24
LINK_LIFE = timedelta(days=30)
RELEASE_GRACE = timedelta(minutes=15)
"""Time after which a paid purchase without a code is refunded."""
SILENCE_GRACE = timedelta(minutes=2)
"""Time that an unresponsive locker has to report an open door."""
FILL_HOURS = 2
"""Hours for which a compartment is reserved for restocking."""
KEEP_DAYS = 365
"""Days on sale for an item without an expiry date."""


class ShopTerms(Struct, frozen=True, kw_only=True):
    """Settings of the locker shop."""

    walk_in_customer_id: int | None = None
    reserve_min: int = RESERVE_MIN
    pickup_hours: int = PICKUP_HOURS


class ShopStatus(StrEnum):
    """Status of a purchase."""

    RESERVED = "reserved"
    """The item is reserved for a few minutes."""
    PAID = "paid"
    """Paid; the code is being created."""
    READY = "ready"
    """The code opens the compartment."""
    COLLECTED = "collected"
    EXPIRED = "expired"
    """Not paid in time, or cancelled by the buyer."""
    REFUNDED = "refunded"


class ShopStep(StrEnum):
    """Step in the life of a purchase."""

    PAY = "pay"
    RELEASE = "release"
    COLLECT = "collect"
    EXPIRE = "expire"
    REFUND = "refund"


class EndReason(StrEnum):
    """Reason for an end without collection."""

    LAPSED = "lapsed"
    """Not paid in time."""
    CANCELLED = "cancelled"
    """Cancelled by the buyer."""
    NOT_COLLECTED = "not_collected"
    DOOR_STUCK = "door_stuck"
    DOOR_SILENT = "door_silent"
    """The locker did not report an open door."""
    BOX_EMPTY = "box_empty"
    """The item was removed from the compartment, or its time there ended."""
    NOT_RELEASED = "not_released"
    """No device opens the compartment, or the code could not be created."""
    OFFICE = "office"


class ItemStatus(StrEnum):
    """Status of an item."""

    FILLING = "filling"
    """It has a compartment and is not inside yet."""
    AVAILABLE = "available"
    RESERVED = "reserved"
    """Part of an open purchase."""
    SOLD = "sold"
    BLOCKED = "blocked"
    """In its compartment but not on sale: its door failed, or it awaits removal."""
    REMOVED = "removed"


class RestockStatus(StrEnum):
    """Status of a restock task."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"


_S = ShopStatus
PAID_FOR = frozenset({_S.PAID, _S.READY})
"""Paid but not collected."""
LIVE = frozenset({_S.RESERVED, *PAID_FOR})
"""Statuses in which the item belongs to the buyer."""


def _refused(step: ShopStep, status: ShopStatus) -> OperationError:
    return SHOP_STEP_REFUSED(step=step.value, status=status.value)


SHOP_LIFE = StateMachine(
    {
        ShopStep.PAY: {_S.RESERVED: _S.PAID},
        ShopStep.RELEASE: {_S.PAID: _S.READY},
        ShopStep.COLLECT: {_S.READY: _S.COLLECTED},
        ShopStep.EXPIRE: {_S.RESERVED: _S.EXPIRED},
        ShopStep.REFUND: {_S.PAID: _S.REFUNDED, _S.READY: _S.REFUNDED, _S.COLLECTED: _S.REFUNDED},
    },
    created={_S.RESERVED: "reserve"},
    error=_refused,
)
FAULTS = frozenset({EndReason.DOOR_STUCK, EndReason.DOOR_SILENT, EndReason.NOT_RELEASED})
"""Reasons that require an inspection before the item is sold again."""
GONE = frozenset({EndReason.BOX_EMPTY})


def item_after(reason: EndReason, status: ShopStatus) -> ItemStatus | None:
    """Return the new status of an item after its purchase, or None if already set."""
    if status is ShopStatus.COLLECTED or reason in GONE:
        return None
    return ItemStatus.BLOCKED if reason in FAULTS else ItemStatus.AVAILABLE


def mermaid() -> str:
    """Render the life of a purchase as a Mermaid diagram."""
    return SHOP_LIFE.mermaid()
