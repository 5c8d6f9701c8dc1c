"""Positions that come through a stream: written for many drivers at once."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.positions.actions import ReceivedPoints, write_positions
from haulier.contexts.driver_app.positions.contract import PushPositionsResult
from haulier.contexts.driver_app.positions.rules import DevicePoint, plausible_points
from haulier.contexts.fleet.public import DriverRow
from haulier.kernel.background.streams import StreamItem, stream
from haulier.kernel.call import Call

POSITIONS_STREAM = "driver.positions"


class PushedPositions(Struct, frozen=True, kw_only=True):
    """Points reported by a driver's device."""

    driver_id: int
    points: list[DevicePoint]


@stream(POSITIONS_STREAM, PushedPositions)
async def write_pushed_positions(call: Call, items: Sequence[StreamItem[PushedPositions]]) -> None:
    """Store where drivers were. Points that are stored already change nothing."""
    received = [ReceivedPoints(driver_id=i.args.driver_id, at=i.at, points=i.args.points) for i in items]
    await write_positions(call, await load_rider_policy(call), received)


async def stream_positions(call: Call, driver: DriverRow, received: list[DevicePoint]) -> PushPositionsResult | None:
    """Send points to the stream to be written later.

    Returns None without a stream: they must then be written directly.
    """
    if not await call.stream(POSITIONS_STREAM, PushedPositions(driver_id=driver.id, points=received)):
        return None
    policy = await load_rider_policy(call)
    plausible = plausible_points(received, call.now, policy.positions_kept_days)
    return PushPositionsResult(
        stored=0,
        thinned=0,
        refused=len(received) - len(plausible),
        queued=len(plausible),
        latest_at=call.local_time(plausible[-1].occurred_at if plausible else None),
        every_s=policy.position_every_s,
    )
