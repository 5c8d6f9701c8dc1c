"""Prices, refunds and no-show fees of visits, charged to customers' credit."""

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, MoneySubject, charge, give_back
from haulier.contexts.booking.reservations.rules import FEE_NOT_CHARGED, FEE_NOT_DUE, NoShowFee, no_show_fee_status
from haulier.contexts.booking.reservations.store.tables import BookingZoneRow, ReservationRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money

MONEY_KIND = "reservation"
FEE_KIND = "no_show_fee"
"""Payment purpose of a fee."""


async def charge_visit(call: Call, row: ReservationRow, price_minor: int | None) -> None:
    """Charge the price of a visit to the customer's credit.

    Raises `CREDIT_INSUFFICIENT`.
    """
    if price_minor and row.customer_id is not None:
        # The key names the previous charge, so that a customer who returns to a window pays it again.
        transfer_id = await _charge(call, row, row.customer_id, price_minor, f"price:{row.charge_transfer_id or 0}")
        await ReservationRow.update(
            call.work, row.id, {"charged_minor": price_minor, "charge_transfer_id": transfer_id}
        )


async def give_price_back(call: Call, row: ReservationRow) -> None:
    """Refund the price of a visit, once."""
    if row.charged_minor and row.charge_transfer_id is not None:
        await give_back(call, row.charge_transfer_id, key=f"reservation:{row.id}:back:{row.charge_transfer_id}")
        await ReservationRow.update(call.work, row.id, {"charged_minor": 0})


async def charge_no_show(call: Call, row: ReservationRow, zone: BookingZoneRow) -> None:
    """Charge a missed visit: the fee, and the price unless the place refunds it.

    If there is not enough credit, the fee stays due. A visit can be missed at any balance.
    """
    if zone.no_show_refund:
        await give_price_back(call, row)
    fee = zone.no_show_fee_minor
    if not fee or row.customer_id is None:
        return
    await ReservationRow.update(call.work, row.id, {"fee_minor": fee})
    try:
        await _charge_fee(call, row, row.customer_id, fee)
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise


async def pay_fee(call: Call, row: ReservationRow) -> None:
    """Charge a due fee to the customer's credit. The row must be locked.

    Raises `FEE_NOT_DUE`, `CREDIT_INSUFFICIENT`.
    """
    due = due_fee(row)
    if not due or row.customer_id is None:
        raise FEE_NOT_DUE()
    await _charge_fee(call, row, row.customer_id, due)


async def waive_fee(call: Call, row: ReservationRow, reason: str) -> None:
    """Waive a fee and refund its payment. Repeated calls change nothing.

    The row must be locked. Raises `FEE_NOT_CHARGED`.
    """
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at)
    if fate is None:
        raise FEE_NOT_CHARGED()
    if fate is not NoShowFee.WAIVED:
        await _return_fee(call, row)
        await ReservationRow.update(call.work, row.id, {"fee_waived_at": call.now, "fee_waiver_reason": reason})


async def give_fee_back(call: Call, row: ReservationRow) -> None:
    """Refund the fee of a visitor who was marked as missing and arrived late."""
    await _return_fee(call, row)
    await ReservationRow.update(call.work, row.id, {"fee_minor": None})


def due_fee(row: ReservationRow) -> int:
    """Return the amount due of a no-show fee in minor units, or 0."""
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
    await ReservationRow.update(call.work, row.id, {"fee_transfer_id": transfer_id})


async def _charge(call: Call, row: ReservationRow, customer_id: int, minor: int, what: str) -> int:
    posted = await charge(
        call,
        customer_id,
        Money(minor, call.business.currency),
        key=f"reservation:{row.id}:{what}",
        subject=MoneySubject(MONEY_KIND, row.id, PriceFamily.LOCAL_DELIVERY),
    )
    return posted.transfer_id
