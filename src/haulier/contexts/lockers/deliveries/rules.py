"""Life cycle of locker deliveries, and orders that are eligible."""

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
"""Reasons for an alternative delivery."""
QUEUE_JOB = "lockers.queue"
NEAR_M = 5_000
"""Maximum distance to another site in metres, as the crow flies."""


class QueueAtSite(Struct, frozen=True):
    """A site with a queue of orders."""

    site_id: int


class IfFull(StrEnum):
    """Alternative for an order without a compartment."""

    NEAREST_LOCKER = "nearest_locker"
    """Another site within 5 km that has a free compartment, else the recipient's address."""
    ADDRESS = "address"
    """The recipient's address."""
    RETURN = "return"
    """Return to the sender."""


class LockerDeliveryStatus(StrEnum):
    """Status of a locker delivery."""

    WAITING = "waiting"
    """No compartment is free. The order gets the first one, and keeps the recipient's address until then."""
    PLANNED = "planned"
    """A compartment is reserved, or will be when the driver arrives."""
    DEPOSITED = "deposited"
    COLLECTED = "collected"
    TAKEN_BACK = "taken_back"
    """A courier took the parcel back. The order has failed, and its next attempt goes to the recipient's address."""
    FALLEN_BACK = "fallen_back"
    """No compartment opened. The order goes to the recipient's address, or back."""
    CANCELLED = "cancelled"
    """The delivery was changed, or the order was handed over or cancelled."""


PUT_IN = frozenset({LockerDeliveryStatus.DEPOSITED, LockerDeliveryStatus.COLLECTED})
"""Statuses in which the door proved the deposit. A recipient may collect before the driver's report arrives."""


class LockerDeliveryStep(StrEnum):
    """Step in the life of a locker delivery."""

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
    """Return the requirement that keeps an order out of lockers, or None."""
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
    """Compartment that a parcel needs."""

    @property
    def size(self) -> str: ...

    @property
    def low(self) -> bool: ...


def needs_no_less(one: BoxNeed, other: BoxNeed) -> bool:
    """Return True if every compartment that suits the first need suits the second."""
    return rank_of(one.size) >= rank_of(other.size) and (one.low or not other.low)
