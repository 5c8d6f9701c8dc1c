"""Content of screens before a code is entered."""

import msgspec

from haulier.contexts.identity.public import require_client
from haulier.contexts.lockers.devices.queries import get_last_seen
from haulier.contexts.lockers.ports import ScreenSales
from haulier.contexts.lockers.screens.contract import LockerScreenState, ScreenDoor
from haulier.contexts.lockers.screens.rules import SILENT_AFTER, ScreenOffer
from haulier.contexts.lockers.screens.store import LockerScreenRow
from haulier.contexts.lockers.sites.contract import FreeBoxes
from haulier.contexts.lockers.sites.queries import count_free_boxes, get_site, list_cabinets
from haulier.contexts.lockers.sites.rules import is_open_at
from haulier.contexts.places.points_of_interest.contract import OpeningHoursRecord
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def screen_state(call: Call, screen: LockerScreenRow, door: ScreenDoor | None) -> LockerScreenState:
    """Return the public content of a screen and the door opened last."""
    site, client = await get_site(call, screen.site_id), await require_client(call.work, call.client_id)
    sales, hours = call.app.find_adapter(ScreenSales), site.opening_hours
    sells = sales is not None and await sales.sell_to_visitors(call)
    return record(
        LockerScreenState,
        site,
        business=client.name,
        site=site.name,
        opening_hours=msgspec.convert(hours, OpeningHoursRecord) if hours else None,
        open_now=is_open_at(hours, call.now, call.time_zone),
        free=[record(FreeBoxes, each) for each in await count_free_boxes(call, site.id)],
        offers=[each.value for each in ScreenOffer if each is not ScreenOffer.BUY or sells],
        silent_cabinets=await _silent_cabinets(call, site.id),
        door=door,
    )


async def _silent_cabinets(call: Call, site_id: int) -> list[str]:
    """Return the codes of active lockers without a responsive device."""
    used = [each for each in await list_cabinets(call, site_id) if not each.retired]
    seen = await get_last_seen(call, [each.device_id for each in used if each.device_id])
    since = call.now - SILENT_AFTER
    return [each.code for each in used if (at := seen.get(each.device_id or 0)) is None or at < since]
