"""Events of the booking context. None contains a code, a name or an address."""

from haulier.kernel.background.events import DomainEvent


class ReservationChanged(DomainEvent, frozen=True, kw_only=True):
    """A reservation's window or status changed.

    Statuses: `held`, `confirmed`, `checked_in`, `expired`, `cancelled` or `no_show`.
    """

    reservation_id: int
    window_id: int
    status: str
    customer_id: int | None = None
    order_id: int | None = None


class WaitingEntryChanged(DomainEvent, frozen=True, kw_only=True):
    """A waiting list entry was created or its status changed.

    Statuses: `waiting`, `offered`, `accepted`, `lapsed`, `withdrawn` or `closed`.
    """

    waiting_entry_id: int
    window_id: int
    customer_id: int
    status: str
    reservation_id: int | None = None
