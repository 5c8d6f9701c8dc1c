"""What other contexts may use of routes: routes, their stops, who holds an order, and what drivers and planners do."""

from haulier.contexts.routes.assignments.actions import end_assignments, lock_assignment_candidates, open_assignments
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.assignments.queries import get_order_holders
from haulier.contexts.routes.assignments.serializers import serialize_order_errors
from haulier.contexts.routes.pools.queries import get_pool_rules, list_waiting_orders, to_pool_order
from haulier.contexts.routes.ports import ROUTE_ON_BOARD, StandbyEndReason, StandbyQueue
from haulier.contexts.routes.routes.actions.device_times import correct_device_time, note_corrected_times
from haulier.contexts.routes.routes.actions.disputed_stops import keep_refused_delivery
from haulier.contexts.routes.routes.actions.driver_assignment import assign_driver
from haulier.contexts.routes.routes.actions.execution import finish_route, return_route_to_depot, start_route
from haulier.contexts.routes.routes.actions.left_behind import GivenBackWork
from haulier.contexts.routes.routes.actions.reopened_stops import reopen_failed_stop
from haulier.contexts.routes.routes.actions.route_orders import add_orders, remove_orders
from haulier.contexts.routes.routes.actions.routes import create_route, insert_routes, update_route
from haulier.contexts.routes.routes.actions.stop_visits import (
    NOT_LOADED_YET,
    NOT_PICKED_UP_YET,
    STOP_CANCELLED,
    STOP_HANDED_OVER,
    complete_stop,
    lock_stop_visit,
    record_arrival,
    record_failed_stop,
)
from haulier.contexts.routes.routes.actions.withdrawn_orders import RoutesOfOrders
from haulier.contexts.routes.routes.notifications import DISPATCH_CHANNEL, mark_routes_changed, notify_day_changed
from haulier.contexts.routes.routes.queries import (
    RouteRow,
    RoutesOfDay,
    count_routes_of_day,
    get_route_row,
    get_route_rows,
    get_route_viewer,
    get_visible_route,
    list_driver_route_rows,
    list_route_rows,
    lock_route_for_action,
    routes,
    to_route_state,
    to_stop_states,
)
from haulier.contexts.routes.routes.serializers import load_route_detail, serialize_routes
from haulier.contexts.routes.stops.actions import insert_stops, renumber_stops, update_stop_plans
from haulier.contexts.routes.stops.queries import (
    PlannedLeg,
    StopCountRow,
    StopRow,
    count_stops_by_route,
    get_collected_order_ids,
    get_route_ids_by_order,
    get_stop_rows,
    list_stops_of_orders,
    list_stops_of_routes,
    stops,
)
from haulier.contexts.routes.stops.rules import STOP_CANNOT

__all__ = [
    "DISPATCH_CHANNEL",
    "NOT_LOADED_YET",
    "NOT_PICKED_UP_YET",
    "ROUTE_ON_BOARD",
    "STOP_CANCELLED",
    "STOP_CANNOT",
    "STOP_HANDED_OVER",
    "GivenBackWork",
    "OrderError",
    "PlannedLeg",
    "RouteRow",
    "RoutesOfDay",
    "RoutesOfOrders",
    "StandbyEndReason",
    "StandbyQueue",
    "StopCountRow",
    "StopRow",
    "add_orders",
    "assign_driver",
    "complete_stop",
    "correct_device_time",
    "count_routes_of_day",
    "count_stops_by_route",
    "create_route",
    "end_assignments",
    "finish_route",
    "get_collected_order_ids",
    "get_order_holders",
    "get_pool_rules",
    "get_route_ids_by_order",
    "get_route_row",
    "get_route_rows",
    "get_route_viewer",
    "get_stop_rows",
    "get_visible_route",
    "insert_routes",
    "insert_stops",
    "keep_refused_delivery",
    "list_driver_route_rows",
    "list_route_rows",
    "list_stops_of_orders",
    "list_stops_of_routes",
    "list_waiting_orders",
    "load_route_detail",
    "lock_assignment_candidates",
    "lock_route_for_action",
    "lock_stop_visit",
    "mark_routes_changed",
    "note_corrected_times",
    "notify_day_changed",
    "open_assignments",
    "record_arrival",
    "record_failed_stop",
    "remove_orders",
    "renumber_stops",
    "reopen_failed_stop",
    "return_route_to_depot",
    "routes",
    "serialize_order_errors",
    "serialize_routes",
    "start_route",
    "stops",
    "to_pool_order",
    "to_route_state",
    "to_stop_states",
    "update_route",
    "update_stop_plans",
]
