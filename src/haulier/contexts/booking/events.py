"""Events of booking. None holds a code, a name or an address."""

from haulier.kernel.background.events import DomainEvent


class ReservationChanged(DomainEvent, frozen=True, kw_only=True):
    """A place was held, or its status changed: held, confirmed, checked_in, expired, cancelled or no_show; or its window."""

    reservation_id: int
    window_id: int
    status: str
    customer_id: int | None = None
    order_id: int | None = None


class WaitingEntryChanged(DomainEvent, frozen=True, kw_only=True):
    """Somebody waits for a place, or their status changed: waiting, offered, accepted, lapsed, withdrawn or closed."""

    waiting_entry_id: int
    window_id: int
    customer_id: int
    status: str
    reservation_id: int | None = None
