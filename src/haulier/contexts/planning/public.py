"""Interface of planning for other contexts: resources of a day, and travel times."""

from haulier.contexts.planning.builds.queries import get_day_resources, get_planner_id, load_travel
from haulier.contexts.planning.ports import TravelFailed, TravelTimes

__all__ = [
    "TravelFailed",
    "TravelTimes",
    "get_day_resources",
    "get_planner_id",
    "load_travel",
]
