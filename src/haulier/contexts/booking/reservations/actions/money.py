"""What a visit costs is paid of its customer's credit, given back where it is given up in time, and what missing it costs."""

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, MoneySubject, charge, give_back
from haulier.contexts.booking.reservations.rules import FEE_NOT_CHARGED, FEE_NOT_DUE, NoShowFee, no_show_fee_status
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import BookingZoneRow, ReservationRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money

MONEY_KIND = "reservation"
FEE_KIND = "no_show_fee"
"""What a payment of a fee is for."""


async def charge_visit(call: Call, row: ReservationRow, price_minor: int | None) -> None:
    """Take what a window of visits costs from the customer's credit. Raises `CREDIT_INSUFFICIENT`."""
    if price_minor and row.customer_id is not None:
        # The key names what was charged before, so that whoever goes back to a window pays it again.
        transfer_id = await _charge(call, row, row.customer_id, price_minor, f"price:{row.charge_transfer_id or 0}")
        await store.update_reservation(call.work, row.id, charged_minor=price_minor, charge_transfer_id=transfer_id)


async def give_price_back(call: Call, row: ReservationRow) -> None:
    """Give back what was paid for a visit, once."""
    if row.charged_minor and row.charge_transfer_id is not None:
        await give_back(call, row.charge_transfer_id, key=f"reservation:{row.id}:back:{row.charge_transfer_id}")
        await store.update_reservation(call.work, row.id, charged_minor=0)


async def charge_no_show(call: Call, row: ReservationRow, zone: BookingZoneRow) -> None:
    """What a missed visit costs: the fee, and the price of the window unless the place gives it back.

    Where there is not enough credit the fee stays due: nobody can be kept from not coming.
    """
    if zone.no_show_refund:
        await give_price_back(call, row)
    fee = zone.no_show_fee_minor
    if not fee or row.customer_id is None:
        return
    await store.update_reservation(call.work, row.id, fee_minor=fee)
    try:
        await _charge_fee(call, row, row.customer_id, fee)
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise


async def pay_fee(call: Call, row: ReservationRow) -> None:
    """Take a fee that is due from the customer's credit. The row must be locked.

    Raises `FEE_NOT_DUE`, `CREDIT_INSUFFICIENT`.
    """
    due = due_fee(row)
    if not due or row.customer_id is None:
        raise FEE_NOT_DUE()
    await _charge_fee(call, row, row.customer_id, due)


async def waive_fee(call: Call, row: ReservationRow, reason: str) -> None:
    """Let a customer off a fee; what was paid of it is given back. Done again, it changes nothing. The row must be locked.

    Raises `FEE_NOT_CHARGED`.
    """
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at)
    if fate is None:
        raise FEE_NOT_CHARGED()
    if fate is not NoShowFee.WAIVED:
        await _return_fee(call, row)
        await store.update_reservation(call.work, row.id, fee_waived_at=call.now, fee_waiver_reason=reason)


async def give_fee_back(call: Call, row: ReservationRow) -> None:
    """Who was said to be missing and came late pays no fee; what was taken is given back."""
    await _return_fee(call, row)
    await store.update_reservation(call.work, row.id, fee_minor=None)


def due_fee(row: ReservationRow) -> int:
    """What is due of the fee of a visit that was missed, in minor units; 0 if nothing."""
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at)
    return row.fee_minor or 0 if fate is NoShowFee.DUE else 0


async def _return_fee(call: Call, row: ReservationRow) -> None:
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at)
    if fate is not NoShowFee.PAID or row.fee_transfer_id is None:
        return
    occasion = f"back:{row.fee_transfer_id}"
    await give_back(call, row.fee_transfer_id, key=f"reservation:{row.id}:{occasion}")
    amount = row.fee_minor or 0
    await call.publish(PaymentReturned(purpose=FEE_KIND, subject_id=row.id, amount_minor=amount, occasion=occasion))


async def _charge_fee(call: Call, row: ReservationRow, customer_id: int, minor: int) -> None:
    transfer_id = await _charge(call, row, customer_id, minor, f"fee:{row.fee_transfer_id or 0}")
    await store.update_reservation(call.work, row.id, fee_transfer_id=transfer_id)


async def _charge(call: Call, row: ReservationRow, customer_id: int, minor: int, what: str) -> int:
    posted = await charge(
        call,
        customer_id,
        Money(minor, call.business.currency),
        key=f"reservation:{row.id}:{what}",
        subject=MoneySubject(MONEY_KIND, row.id, PriceFamily.LOCAL_DELIVERY),
    )
    return posted.transfer_id
