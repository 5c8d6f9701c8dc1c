"""Storage fees after the free days, and their payment."""

from datetime import datetime

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, MoneySubject, charge
from haulier.contexts.lockers.parcels.rules import ParcelKind, storage_fee
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money

FEE_SUBJECT = "locker_parcel"


def fee_until(row: LockerParcelRow, at: datetime) -> int:
    """Return the storage fee at a time in minor units.

    Drop-offs and rented compartments are free.
    """
    if row.kind != ParcelKind.DELIVERY or row.lease_id is not None:
        return 0
    return storage_fee(row.deposited_at, at, row.storage_free_days, row.storage_day_minor)


def fee_due(row: LockerParcelRow, at: datetime) -> int:
    """Return the unpaid storage fee in minor units."""
    if row.ended_at is None:
        return fee_until(row, at)
    return 0 if row.fee_charged else row.fee_minor or 0


async def charge_fee(call: Call, row: LockerParcelRow, at: datetime) -> tuple[int, bool]:
    """Charge the storage fee to the customer's wallet, once.

    Returns the fee and whether it is paid.

    Without an account or enough credit, the fee stays due: the door is already open.
    """
    fee, business = fee_until(row, at), call.principal.business
    if not fee or row.customer_id is None or business is None:
        return fee, False
    try:
        await charge(
            call,
            row.customer_id,
            Money(fee, business.currency),
            key=f"locker_parcel:{row.id}:storage",
            subject=MoneySubject(FEE_SUBJECT, row.id, PriceFamily.STORAGE_SERVICES),
            reason=row.reference,
        )
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise
        return fee, False
    return fee, True
