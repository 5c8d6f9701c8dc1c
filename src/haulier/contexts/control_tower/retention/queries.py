"""How long a client keeps each kind of record."""

from haulier.contexts.driver_app.public import get_positions_kept_days
from haulier.contexts.identity.public import get_retention_settings
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind, retention_days


async def load_retention_days(call: Call, kind: RecordKind) -> int:
    """For how many days the client keeps a kind of record.

    Positions are kept as long as the driver app's policy says: it refuses older ones too.
    """
    if kind is RecordKind.DRIVER_POSITIONS:
        return await get_positions_kept_days(call)
    return retention_days(kind, await get_retention_settings(call.work, call.client_id))
