"""Times that devices report about routes: corrected before an action reads them, and noted at the route."""

from collections.abc import Collection
from typing import TypeVar

from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract.routes import ReportRouteEvent
from haulier.kernel.call import Call
from haulier.kernel.values.device_times import DeviceClock, EventTime

R = TypeVar("R", bound=ReportRouteEvent)


async def correct_device_time(call: Call, request: R) -> R:
    """Return the request with `occurred_at` by the server's clock. A corrected time is noted at the route."""
    if request.occurred_at is None:
        return request
    time = DeviceClock(received_at=call.now, sent_at=request.sent_at).read_time(request.occurred_at)
    await note_corrected_times(call, [request.route_id], [time])
    return request.model_copy(update={"occurred_at": time.at, "sent_at": None})


async def note_corrected_times(
    call: Call, route_ids: Collection[int], times: Collection[EventTime], *, driver_id: int | None = None
) -> None:
    """Note at routes that their device's clock is off. `driver_id` limits it to the routes of that driver."""
    off = [time for time in times if time.clock_corrected]
    if off and route_ids:
        largest = max((time.ahead_s for time in off), key=abs)
        since = min(time.at for time in off)
        await store.note_clock_off(call.work, route_ids, ahead_s=largest, since=since, driver_id=driver_id)
