"""The client's rules for its drivers' app, as other families read them."""

from haulier.contexts.driver_app.policy import store
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.kernel.call import Call


async def load_rider_policy(call: Call) -> RiderPolicy:
    """The client's rules, or the defaults where the client set none."""
    return await store.get_rider_policy(call.work) or RiderPolicy()


async def get_positions_kept_days(call: Call) -> int:
    """After how many days points are deleted."""
    return (await load_rider_policy(call)).positions_kept_days
