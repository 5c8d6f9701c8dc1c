"""Events of lockers. None holds a code or an address."""

from datetime import datetime

from haulier.kernel.background.events import DomainEvent


class LockerParcelChanged(DomainEvent, frozen=True, kw_only=True):
    """A parcel got a box, or its status changed: reserved, deposited, collected, expired, removed or cancelled."""

    parcel_id: int
    site_id: int
    status: str
    order_id: int | None = None
    reference: str | None = None


class DeviceCommandEnded(DomainEvent, frozen=True, kw_only=True):
    """A device did what it was asked, could not, or did not answer in time: done, failed or expired."""

    command_id: int
    device_id: int
    command: str
    status: str
    box_id: int | None = None
    parcel_id: int | None = None
    purpose: str | None = None
    happened_at: datetime | None = None
    """When it did so, where that is told later: a cabinet without a network opened a door by itself."""


class LockerBoxChanged(DomainEvent, frozen=True, kw_only=True):
    """A box can be used, is faulty, or was taken out of use: ready, faulty or disabled."""

    box_id: int
    site_id: int
    state: str


class DeviceOrderChanged(DomainEvent, frozen=True, kw_only=True):
    """An order of devices was made or changed, or has another status, as draft, confirmed, paid, shipped or delivered."""

    device_order_id: int
    customer_id: int
    status: str


class DeviceReturnChanged(DomainEvent, frozen=True, kw_only=True):
    """Devices shall go back, came back, or were settled: requested, received, refunded, replaced, refused or cancelled."""

    device_return_id: int
    device_order_id: int
    status: str


class ShopPurchaseChanged(DomainEvent, frozen=True, kw_only=True):
    """A purchase from a locker was reserved, or its status changed: paid, ready, collected, expired or refunded."""

    purchase_id: int
    site_id: int
    product_id: int
    status: str
    customer_id: int


class LuggageChanged(DomainEvent, frozen=True, kw_only=True):
    """Luggage was booked or changed, or has another status, as received, in_transit, at_destination or collected."""

    luggage_id: int
    customer_id: int
    status: str


class LuggageClaimChanged(DomainEvent, frozen=True, kw_only=True):
    """A claim about luggage was filed, accepted, refused or withdrawn."""

    luggage_claim_id: int
    luggage_id: int
    status: str


class LockerOfferChanged(DomainEvent, frozen=True, kw_only=True):
    """Boxes are offered for lease, on other terms, not for the time being, or not any more: offered, suspended or ended."""

    locker_offer_id: int
    site_id: int
    status: str


class LockerLeaseChanged(DomainEvent, frozen=True, kw_only=True):
    """A lease was made, prolonged, or has another status: reserved, active, suspended, ended or cancelled."""

    locker_lease_id: int
    locker_offer_id: int
    customer_id: int
    status: str


class FirmwareRolloutChanged(DomainEvent, frozen=True, kw_only=True):
    """A roll-out of firmware has another status: running, paused, completed or cancelled; `failures` where it paused itself."""

    firmware_rollout_id: int
    firmware_release_id: int
    status: str
    reason: str = ""


class DeviceAlarmChanged(DomainEvent, frozen=True, kw_only=True):
    """A device fell silent or runs low (raised), is well again (recovered), or is watched no more (dropped)."""

    alarm_id: int
    device_id: int
    site_id: int | None
    kind: str
    status: str
    last_seen_at: datetime | None
    battery_pct: int | None
