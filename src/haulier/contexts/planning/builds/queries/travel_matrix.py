"""Travel times and distances between all places of a plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from haulier.contexts.planning.ports import GeoPoint, TrafficAware, TravelFailed, TravelTimes
from haulier.late_import import LateModule
from haulier.solvers.routing.installed import is_routing_installed
from haulier.solvers.routing.travel import TravelMatrices

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")


async def load_travel_matrix(
    travel_times: TravelTimes, places: Sequence[GeoPoint], worked: Sequence[int] = ()
) -> TravelMatrices:
    """Travel between all of these places, as the solver needs it. Raises `TravelFailed`.

    `worked` counts the drivers on the road in each of the 24 hours of a local day (see `TrafficAware`); a source that knows
    no traffic is asked without it.
    """
    if not is_routing_installed():
        raise TravelFailed("not_installed", "this needs the extra `routing`: install haulier[routing]")
    if any(worked) and isinstance(travel_times, TrafficAware):
        travel_times = travel_times.during(worked)
    seconds, metres = await travel_times.table(places, places)
    np.fill_diagonal(seconds, 0)
    np.fill_diagonal(metres, 0)
    return TravelMatrices(seconds, metres)
