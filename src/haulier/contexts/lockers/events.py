"""Events of lockers. None contains a code or an address."""

from datetime import datetime

from haulier.kernel.background.events import DomainEvent


class LockerParcelChanged(DomainEvent, frozen=True, kw_only=True):
    """A parcel is reserved, deposited, collected, expired, removed or cancelled."""

    parcel_id: int
    site_id: int
    status: str
    order_id: int | None = None
    reference: str | None = None


class DeviceCommandEnded(DomainEvent, frozen=True, kw_only=True):
    """A device completed a command, failed or timed out: done, failed or expired."""

    command_id: int
    device_id: int
    command: str
    status: str
    box_id: int | None = None
    parcel_id: int | None = None
    purpose: str | None = None
    happened_at: datetime | None = None
    """Time of the event if reported later: an offline locker opened a door by itself."""


class LockerBoxChanged(DomainEvent, frozen=True, kw_only=True):
    """A compartment has a new status: ready, faulty or disabled."""

    box_id: int
    site_id: int
    state: str


class DeviceOrderChanged(DomainEvent, frozen=True, kw_only=True):
    """A device order was created, changed or moved to another status."""

    device_order_id: int
    customer_id: int
    status: str


class DeviceReturnChanged(DomainEvent, frozen=True, kw_only=True):
    """A device return has a new status.

    One of requested, received, refunded, replaced, refused or cancelled.
    """

    device_return_id: int
    device_order_id: int
    status: str


class ShopPurchaseChanged(DomainEvent, frozen=True, kw_only=True):
    """A purchase is reserved, paid, ready, collected, expired or refunded."""

    purchase_id: int
    site_id: int
    product_id: int
    status: str
    customer_id: int


class LuggageChanged(DomainEvent, frozen=True, kw_only=True):
    """A luggage booking was created, changed or moved to another status."""

    luggage_id: int
    customer_id: int
    status: str


class LuggageClaimChanged(DomainEvent, frozen=True, kw_only=True):
    """A claim about luggage was filed, accepted, refused or withdrawn."""

    luggage_claim_id: int
    luggage_id: int
    status: str


class LockerOfferChanged(DomainEvent, frozen=True, kw_only=True):
    """A rental offer has a new status or new terms: offered, suspended or ended."""

    locker_offer_id: int
    site_id: int
    status: str


class LockerLeaseChanged(DomainEvent, frozen=True, kw_only=True):
    """A locker rental was extended or has a new status.

    One of reserved, active, suspended, ended or cancelled.
    """

    locker_lease_id: int
    locker_offer_id: int
    customer_id: int
    status: str


class FirmwareRolloutChanged(DomainEvent, frozen=True, kw_only=True):
    """A firmware roll-out has a new status.

    One of running, paused, completed or cancelled; `failures` if it paused automatically.
    """

    firmware_rollout_id: int
    firmware_release_id: int
    status: str
    reason: str = ""


class DeviceAlarmChanged(DomainEvent, frozen=True, kw_only=True):
    """A device alarm has a new status: raised, recovered or dropped."""

    alarm_id: int
    device_id: int
    site_id: int | None
    kind: str
    status: str
    last_seen_at: datetime | None
    battery_pct: int | None
