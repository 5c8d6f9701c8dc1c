"""Actions of customers on rented compartments."""

from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.contexts.lockers.parcels.actions.doors import find_door_under_way, open_for_parcel
from haulier.contexts.lockers.parcels.actions.reservations import WantedBox, take_box
from haulier.contexts.lockers.parcels.queries import LockerParcelRow
from haulier.contexts.lockers.parcels.rules import LOCKER_STEP_REFUSED, NO_FREE_BOX, LockerStep
from haulier.contexts.lockers.resale.contract.leases import ReserveLeasedBox
from haulier.contexts.lockers.resale.queries import get_lease
from haulier.contexts.lockers.resale.rules import LeaseStatus, LeaseStep, next_lease_status
from haulier.contexts.lockers.resale.store.tables import LockerLeaseRow
from haulier.kernel.call import Call


def require_usable(call: Call, lease: LockerLeaseRow) -> None:
    """Require a paid, active rental that accepts deposits.

    Raises `LEASE_STEP_REFUSED`.
    """
    over = lease.ends_at is not None and lease.ends_at <= call.now
    next_lease_status(LeaseStep.USE, LeaseStatus.ENDED if over else lease.status)


async def reserve_leased_box(call: Call, lease: LockerLeaseRow, request: ReserveLeasedBox) -> LockerParcelRow:
    """Reserve an empty compartment of a rental for a parcel.

    The rental must be locked. Raises `LEASE_STEP_REFUSED`, or `NO_FREE_BOX` if none is empty and usable.
    """
    require_usable(call, lease)
    terms = request.model_dump(include={"low", "hold_hours", "keep_days", "reference"})
    wanted = WantedBox(site_id=lease.site_id, size=lease.size, lease_id=lease.id, **terms)
    recipient = request.recipient
    whose = {
        "order_id": None,
        "customer_id": lease.customer_id,
        "recipient_name": recipient.name if recipient else None,
        "recipient_email": recipient.email if recipient else None,
        "recipient_phone": recipient.phone if recipient else None,
        "language": None,
    }
    row = await take_box(call, wanted, whose)
    if row is None:
        raise NO_FREE_BOX(size=lease.size.upper())
    call.add_audit_subjects("locker_lease", lease.id)
    return row


async def require_shut(call: Call, row: LockerParcelRow) -> None:
    """Require that no deposit is in progress.

    Raises `LOCKER_STEP_REFUSED` while the door is opening.
    """
    if await find_door_under_way(call, row.id) is not None:
        raise LOCKER_STEP_REFUSED(step=LockerStep.CANCEL.value, status=row.status)


async def open_leased_box(call: Call, row: LockerParcelRow, purpose: DoorPurpose) -> DeviceCommandRow:
    """Open the compartment of a parcel to deposit or retrieve it. It must be locked.

    After the rental, only retrieval is possible. Raises `LEASE_STEP_REFUSED`, `LOCKER_STEP_REFUSED`,
    `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    lease = await get_lease(call, row.lease_id or 0)
    if purpose is DoorPurpose.DEPOSIT:
        require_usable(call, lease)
    call.add_audit_subjects("locker_lease", lease.id)
    step = LockerStep.DEPOSIT if purpose is DoorPurpose.DEPOSIT else LockerStep.REMOVE
    return await open_for_parcel(call, row, step, purpose)
