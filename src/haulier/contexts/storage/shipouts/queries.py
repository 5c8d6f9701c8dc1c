"""Ship-outs that a caller may see."""

from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


async def get_visible_shipout(call: Call, shipout_id: int, *, lock: bool = False) -> ShipoutRow:
    """Return a ship-out; customers see their own. Raises `NOT_FOUND`."""
    row = await (ShipoutRow.lock if lock else ShipoutRow.get)(call.work, shipout_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(shipout_id=shipout_id)
    return row
