"""What a visit costs is paid of its customer's credit, given back where it is given up in time, and what missing it costs."""

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, MoneySubject, charge, refund
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import BookingZoneRow, ReservationRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money

MONEY_KIND = "reservation"


async def charge_visit(call: Call, row: ReservationRow, price_minor: int | None) -> None:
    """Take what a window of visits costs from the customer's credit. Raises `CREDIT_INSUFFICIENT`."""
    if price_minor and row.customer_id is not None:
        # The key names what was charged before, so that whoever goes back to a window pays it again.
        transfer_id = await _charge(call, row, row.customer_id, price_minor, f"price:{row.charge_transfer_id or 0}")
        await store.update_reservation(call.work, row.id, charged_minor=price_minor, charge_transfer_id=transfer_id)


async def give_price_back(call: Call, row: ReservationRow) -> None:
    """Give back what was paid for a visit, once."""
    if row.charged_minor and row.charge_transfer_id is not None:
        await refund(call, row.charge_transfer_id, key=f"reservation:{row.id}:back:{row.charge_transfer_id}")
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
        transfer_id = await _charge(call, row, row.customer_id, fee, f"fee:{row.fee_transfer_id or 0}")
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise
        return
    await store.update_reservation(call.work, row.id, fee_transfer_id=transfer_id)


async def give_fee_back(call: Call, row: ReservationRow) -> None:
    """Who was said to be missing and came late pays no fee; what was taken is given back."""
    if row.fee_minor and row.fee_transfer_id is not None:
        await refund(call, row.fee_transfer_id, key=f"reservation:{row.id}:back:{row.fee_transfer_id}")
    await store.update_reservation(call.work, row.id, fee_minor=None)


async def _charge(call: Call, row: ReservationRow, customer_id: int, minor: int, what: str) -> int:
    posted = await charge(
        call,
        customer_id,
        Money(minor, call.business.currency),
        key=f"reservation:{row.id}:{what}",
        subject=MoneySubject(MONEY_KIND, row.id, PriceFamily.LOCAL_DELIVERY),
    )
    return posted.transfer_id
