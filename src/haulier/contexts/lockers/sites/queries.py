"""Sites, cabinets and boxes as other families read them."""

from haulier.contexts.lockers.sites.store import boxes as box_store
from haulier.contexts.lockers.sites.store import sites as store
from haulier.contexts.lockers.sites.store.tables import LockerBoxRow, LockerCabinetRow, LockerSiteRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def get_site(call: Call, site_id: int, *, lock: bool = False) -> LockerSiteRow:
    """A site of this client. Raises `NOT_FOUND`."""
    row = await store.get_site_row(call.work, site_id, lock=lock)
    if row is None:
        raise record_not_found(site_id=site_id)
    return row


async def get_cabinet(call: Call, cabinet_id: int) -> LockerCabinetRow:
    """A cabinet of this client. Raises `NOT_FOUND`."""
    row = await store.get_cabinet_row(call.work, cabinet_id)
    if row is None:
        raise record_not_found(cabinet_id=cabinet_id)
    return row


async def get_box(call: Call, box_id: int, *, lock: bool = False) -> LockerBoxRow:
    """A box of this client. Raises `NOT_FOUND`."""
    row = await box_store.get_box_row(call.work, box_id, lock=lock)
    if row is None:
        raise record_not_found(box_id=box_id)
    return row


async def find_cabinet_of_device(call: Call, device_id: int) -> LockerCabinetRow | None:
    """The cabinet whose doors a device opens, or None."""
    return await store.find_cabinet_of_device(call.work, device_id)
