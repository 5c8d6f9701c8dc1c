"""The client's rules for its drivers' app, as other contexts change them."""

from msgspec.structs import asdict, replace

from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.policy.store import upsert_rider_policy
from haulier.kernel.call import Call


async def set_positions_kept_days(call: Call, days: int) -> None:
    """Choose after how many days points are deleted."""
    policy = replace(await load_rider_policy(call), positions_kept_days=days)
    await upsert_rider_policy(call.work, **asdict(policy), changed_at=call.now)
