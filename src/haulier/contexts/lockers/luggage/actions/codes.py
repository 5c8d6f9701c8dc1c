"""Codes for the compartments of a traveller's bags."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.lockers.luggage.rules import BagStatus
from haulier.contexts.lockers.luggage.store.tables import LuggageBagRow, LuggageRow
from haulier.contexts.lockers.parcels.actions.steps import find_or_give_code, give_code
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.kernel.call import Call


class BoxCode(Struct, frozen=True, kw_only=True):
    """One-time code for the compartment of a bag."""

    tag: str
    cabinet: str
    box: int
    code: str


async def list_codes(call: Call, bags: Sequence[LuggageBagRow], *, renew: bool = False) -> list[BoxCode]:
    """Return codes of compartments a traveller can open; `renew` replaces them."""
    made: list[BoxCode] = []
    for bag in bags:
        coming = bag.status == BagStatus.EXPECTED
        parcel_id = bag.drop_parcel_id if coming else bag.pick_parcel_id
        wanted = LockerStatus.RESERVED if coming else LockerStatus.DEPOSITED
        parcel = await get_parcel(call, parcel_id) if parcel_id else None
        if parcel is not None and parcel.status == wanted:
            code = await (give_code if renew else find_or_give_code)(call, parcel)
            made.append(BoxCode(tag=bag.tag, cabinet=parcel.cabinet, box=parcel.box, code=code))
    return made


def needs_pin(row: LuggageRow, bags: Sequence[LuggageBagRow]) -> bool:
    """Return True if bags are handed over in person, which requires a PIN."""
    if any(bag.status == BagStatus.EXPECTED for bag in bags) and row.from_site_id is None:
        return True
    return any(bag.status == BagStatus.UNLOADED and bag.pick_parcel_id is None for bag in bags)
