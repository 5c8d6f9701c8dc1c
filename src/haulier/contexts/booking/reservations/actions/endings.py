"""Endings of reservations, which free the place and refund payments."""

from haulier.contexts.booking.reservations.actions.money import give_price_back
from haulier.contexts.booking.reservations.actions.waiting_lists import (
    offer_free_places,
    settle_offer,
    tell_reservation,
)
from haulier.contexts.booking.reservations.rules import ReservationStatus, WaitingStatus
from haulier.contexts.booking.reservations.store.tables import ReservationRow
from haulier.kernel.call import Call


async def cancel_place(call: Call, row: ReservationRow, reason: str | None) -> None:
    """Cancel a place. Refund the price of a visit and decline a pending offer."""
    ended = {"outcome": ReservationStatus.CANCELLED.value, "ended_at": call.now, "reason": reason}
    await ReservationRow.update(call.work, row.id, ended)
    await give_price_back(call, row)
    await settle_offer(call, row.id, WaitingStatus.WITHDRAWN)
    await tell_reservation(call, row, ReservationStatus.CANCELLED)
    await offer_free_places(call, row.window_id)
