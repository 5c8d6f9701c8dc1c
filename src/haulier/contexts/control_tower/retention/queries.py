"""Retention of each kind of record of a client."""

from haulier.contexts.driver_app.public import get_positions_kept_days
from haulier.contexts.identity.public import get_retention_settings
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind, retention_days


async def load_retention_days(call: Call, kind: RecordKind) -> int:
    """Return the retention of a kind of record in days.

    Positions follow the driver app's policy, which rejects older ones too.
    """
    if kind is RecordKind.DRIVER_POSITIONS:
        return await get_positions_kept_days(call)
    return retention_days(kind, await get_retention_settings(call.work, call.client_id))
