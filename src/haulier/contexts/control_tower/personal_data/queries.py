"""Exports whose requester lost the right to them."""

from collections.abc import Iterable

from haulier.contexts.control_tower.personal_data.store import PersonalDataRequestRow
from haulier.contexts.identity.public import find_lapses
from haulier.kernel.call import Call
from haulier.kernel.pipeline.reach import SetUpLapse

EXPORTED_BY = "export_personal_data"
LIVE_STATES = frozenset({"queued", "done"})


async def find_export_lapses(call: Call, rows: Iterable[PersonalDataRequestRow]) -> dict[int, SetUpLapse]:
    """Return by export why its requester lost the right, in at most two statements."""
    who = {
        row.id: (row.requested_by, row.set_up_with)
        for row in rows
        if row.kind == "export" and row.state in LIVE_STATES and row.requested_by is not None
    }
    lapses = await find_lapses(call, set(who.values()), EXPORTED_BY) if who else {}
    return {id: lapses[each] for id, each in who.items() if each in lapses}
