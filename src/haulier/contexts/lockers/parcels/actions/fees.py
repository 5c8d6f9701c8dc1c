"""What the storage of a parcel costs after its free days, and who pays it when it leaves its box."""

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
    """What the storage of a parcel has come to at a moment, in minor units; what is handed in or leased costs nothing."""
    if row.kind != ParcelKind.DELIVERY or row.lease_id is not None:
        return 0
    return storage_fee(row.deposited_at, at, row.storage_free_days, row.storage_day_minor)


def fee_due(row: LockerParcelRow, at: datetime) -> int:
    """What is still to be paid for the storage of a parcel, in minor units."""
    if row.ended_at is None:
        return fee_until(row, at)
    return 0 if row.fee_charged else row.fee_minor or 0


async def charge_fee(call: Call, row: LockerParcelRow, at: datetime) -> tuple[int, bool]:
    """Charge the storage of a parcel that left its box then to its customer's wallet, once: the fee, and whether it is paid.

    Where nobody has an account, or the credit does not allow it, the fee stays due: the door is open already.
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
