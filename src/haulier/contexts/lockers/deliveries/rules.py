"""The life of a delivery into a locker, and which orders may go there."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.contexts.lockers.sites.rules import rank_of
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

NOT_FOR_LOCKERS = declare_error("not_for_lockers", 409)
LOCKER_DELIVERY_OVER = declare_error("locker_delivery_over", 409)
NO_BOX, NO_DEVICE, GIVEN_UP, SITE_RETIRED = "no_free_box", "no_device", "given_up", "site_retired"
"""Why an order went elsewhere."""
QUEUE_JOB = "lockers.queue"
NEAR_M = 5_000
"""So far away another site may be, as the crow flies."""


class QueueAtSite(Struct, frozen=True):
    """A site at which orders wait for boxes."""

    site_id: int


class IfFull(StrEnum):
    """What becomes of an order for which no box opens."""

    NEAREST_LOCKER = "nearest_locker"
    """Another site within five kilometres; the recipient's address, where none has a free box."""
    ADDRESS = "address"
    """It is delivered at the recipient's address after all."""
    RETURN = "return"
    """It goes back."""


class LockerDeliveryStatus(StrEnum):
    """How far a delivery into a locker is."""

    WAITING = "waiting"
    """No box was free: it gets the first that becomes free, and goes to the recipient's address until then."""
    PLANNED = "planned"
    """A box is reserved, or will be when the driver is there."""
    DEPOSITED = "deposited"
    COLLECTED = "collected"
    TAKEN_BACK = "taken_back"
    """A courier took it out again; the order has failed, and goes to the recipient's address when it goes out again."""
    FALLEN_BACK = "fallen_back"
    """No box opened: it goes to the recipient's address, or back."""
    CANCELLED = "cancelled"
    """It was decided otherwise, or the order was handed over or cancelled."""


PUT_IN = frozenset({LockerDeliveryStatus.DEPOSITED, LockerDeliveryStatus.COLLECTED})
"""Its door proved that the parcel was put in. Why collected, too: a recipient may be there before the driver's report is."""


class LockerDeliveryStep(StrEnum):
    """What happens to a delivery into a locker."""

    WAIT = "wait"
    PLAN = "plan"
    DEPOSIT = "deposit"
    COLLECT = "collect"
    TAKE_BACK = "take_back"
    FALL_BACK = "fall_back"
    CANCEL = "cancel"


_S = LockerDeliveryStatus
_BEFORE_A_BOX = (_S.WAITING, _S.PLANNED, _S.TAKEN_BACK, _S.FALLEN_BACK, _S.CANCELLED)


def _refused(step: LockerDeliveryStep, status: LockerDeliveryStatus) -> OperationError:
    return LOCKER_DELIVERY_OVER(status=status.value)


LOCKER_DELIVERY_LIFE = StateMachine(
    {
        LockerDeliveryStep.WAIT: dict.fromkeys(_BEFORE_A_BOX, _S.WAITING),
        LockerDeliveryStep.PLAN: dict.fromkeys(_BEFORE_A_BOX, _S.PLANNED),
        LockerDeliveryStep.DEPOSIT: {_S.PLANNED: _S.DEPOSITED},
        LockerDeliveryStep.COLLECT: {_S.DEPOSITED: _S.COLLECTED},
        LockerDeliveryStep.TAKE_BACK: {_S.DEPOSITED: _S.TAKEN_BACK},
        LockerDeliveryStep.FALL_BACK: {_S.PLANNED: _S.FALLEN_BACK, _S.WAITING: _S.FALLEN_BACK},
        LockerDeliveryStep.CANCEL: {_S.PLANNED: _S.CANCELLED, _S.WAITING: _S.CANCELLED},
    },
    created={_S.PLANNED: "plan", _S.WAITING: "wait"},
    error=_refused,
)
mermaid = LOCKER_DELIVERY_LIFE.mermaid


def why_not_for_lockers(
    order_type: str, *, cod: bool, pin: bool, age: bool, signature: bool, for_partner: bool
) -> Iterator[str]:
    """Why an order cannot be left in a locker: what it asks for at the door, no box can give."""
    reasons = {
        "pickup": order_type == "P",
        "cash_on_delivery": cod,
        "delivery_pin": pin,
        "age_check": age,
        "signature": signature,
        "partner_order": for_partner,
    }
    yield from (reason for reason, holds in reasons.items() if holds)


class BoxNeed(Protocol):
    """Which box a parcel needs."""

    @property
    def size(self) -> str: ...

    @property
    def low(self) -> bool: ...


def needs_no_less(one: BoxNeed, other: BoxNeed) -> bool:
    """Whether every box that suits one suits another as well: where none is free for that, none is for this."""
    return rank_of(one.size) >= rank_of(other.size) and (one.low or not other.low)
