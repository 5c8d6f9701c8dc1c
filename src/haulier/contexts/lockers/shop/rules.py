"""The lives of purchases and of the pieces that are sold, and the tax within a price."""

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
"""Minutes for which a box is reserved, unless the business says otherwise."""
PICKUP_HOURS = 24
LINK_LIFE = timedelta(days=30)
RELEASE_GRACE = timedelta(minutes=15)
"""What was paid and got no code for so long is refunded."""
SILENCE_GRACE = timedelta(minutes=2)
"""A cabinet that did not answer may still say for so long that its door opened."""
FILL_HOURS = 2
"""A box that is to be filled is kept for so long."""
KEEP_DAYS = 365
"""A piece without an end of its own is sold for so long."""
BASIS = 10_000


class ShopTerms(Struct, frozen=True, kw_only=True):
    """How a business sells."""

    walk_in_customer_id: int | None = None
    reserve_min: int = RESERVE_MIN
    pickup_hours: int = PICKUP_HOURS


class ShopStatus(StrEnum):
    """How far a purchase is."""

    RESERVED = "reserved"
    """The box is kept for the buyer for a few minutes."""
    PAID = "paid"
    """The money is there; the code is being made."""
    READY = "ready"
    """The code opens the box."""
    COLLECTED = "collected"
    EXPIRED = "expired"
    """It was not paid in time, or the buyer gave it up."""
    REFUNDED = "refunded"


class ShopStep(StrEnum):
    """What happens to a purchase."""

    PAY = "pay"
    RELEASE = "release"
    COLLECT = "collect"
    EXPIRE = "expire"
    REFUND = "refund"


class EndReason(StrEnum):
    """Why a purchase ended otherwise than by being collected."""

    LAPSED = "lapsed"
    """It was not paid in time."""
    CANCELLED = "cancelled"
    """The buyer did not want it."""
    NOT_COLLECTED = "not_collected"
    DOOR_STUCK = "door_stuck"
    DOOR_SILENT = "door_silent"
    """The cabinet did not say that the door opened."""
    BOX_EMPTY = "box_empty"
    """The piece was taken out of the box, or its time there was over."""
    NOT_RELEASED = "not_released"
    """No device opens the box, or the code could not be made."""
    OFFICE = "office"


class ItemStatus(StrEnum):
    """Where a piece is."""

    FILLING = "filling"
    """It has a box and is not in it yet."""
    AVAILABLE = "available"
    RESERVED = "reserved"
    """Somebody is buying it."""
    SOLD = "sold"
    BLOCKED = "blocked"
    """It is in its box and not for sale: its door failed, or it is to be taken out."""
    REMOVED = "removed"


class RestockStatus(StrEnum):
    """Whether boxes are still to be filled."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"


_S = ShopStatus
PAID_FOR = frozenset({_S.PAID, _S.READY})
"""The money is there, and the goods are not."""
LIVE = frozenset({_S.RESERVED, *PAID_FOR})
"""The piece is the buyer's."""


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
"""After these somebody must look before the piece is sold again."""
GONE = frozenset({EndReason.BOX_EMPTY})


def item_after(reason: EndReason, status: ShopStatus) -> ItemStatus | None:
    """What becomes of the piece of a purchase that ended, from the status it had; None where that is known already."""
    if status is ShopStatus.COLLECTED or reason in GONE:
        return None
    return ItemStatus.BLOCKED if reason in FAULTS else ItemStatus.AVAILABLE


def tax_within(price_minor: int, basis_points: int) -> int:
    """The tax that a price contains, rounded half up."""
    return (2 * price_minor * basis_points + BASIS + basis_points) // (2 * (BASIS + basis_points))


def mermaid() -> str:
    """The life of a purchase as a diagram."""
    return SHOP_LIFE.mermaid()
