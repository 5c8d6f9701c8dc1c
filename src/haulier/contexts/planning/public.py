"""What other contexts may ask of planning: what there is to plan with on a day, and for whom the caller plans."""

from haulier.contexts.planning.builds.queries.resources import get_day_resources, get_planner_id

__all__ = ["get_day_resources", "get_planner_id"]
