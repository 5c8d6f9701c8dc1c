"""A day in which every step is rehearsed before it is done: who does what, with values that earlier steps brought."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Known = dict[str, Any]
THERE = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}
ELSEWHERE = {**THERE, "address": "1 King St E", "lat": 43.66}


class Step(NamedTuple):
    """One write. `brings` says where in its answer the next steps find what they need."""

    who: str
    operation: str
    asked: Callable[[Known], dict[str, Any]]
    brings: dict[str, str] = {}


def step(who: str, operation: str, brings: dict[str, str] | None = None, **fixed: Any) -> Step:
    """A step whose values are fixed, but for texts that begin with `$`: those name what is known."""
    return Step(
        who, operation, lambda known: {name: _value(value, known) for name, value in fixed.items()}, brings or {}
    )


def _value(value: Any, known: Known) -> Any:
    if isinstance(value, list):
        return [_value(each, known) for each in value]
    if isinstance(value, dict):
        return {name: _value(each, known) for name, each in value.items()}
    return known[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def order(name: str, **words: Any) -> Step:
    """An order of the client's, under a name."""
    return step("admin", "create_order", {name: "order.id"}, consignee=THERE, order_ref=name, **words)


def day() -> Iterator[Step]:
    """The whole day."""
    yield from _people()
    yield from _the_office()
    yield from _orders()
    yield from _contractors()
    yield from _a_route()
    yield from _approvals()


def _people() -> Iterator[Step]:
    yield step("admin", "create_user", {"new": "user.id"}, name="New", email="new@demo.example", account="employee")
    yield step("admin", "update_user", user_id="$new", name="Newer")
    yield step("admin", "disable_user", user_id="$new")
    yield step("admin", "enable_user", user_id="$new")
    yield step("admin", "set_user_password", user_id="$employee", password="a-long-enough-password-1")
    yield step(
        "employee",
        "change_password",
        current_password="a-long-enough-password-1",
        new_password="a-long-enough-password-2",
    )
    yield step("admin", "issue_api_token", {"token": "id"}, name="program")
    yield step("admin", "revoke_api_token", token_id="$token")
    yield step("admin", "set_price_visibility", customer_id="$customer", hidden=["local_delivery"])
    yield step("admin", "set_module", module="broker_order_assignments", enabled=True)
    yield step("admin", "set_feature", feature="order_chat", enabled=True)
    yield step("admin", "update_client", name="Demo Deliveries")


def _the_office() -> Iterator[Step]:
    yield step("admin", "create_depot", {"depot": "depot.id"}, name="D", address="1 Bay St", lat=43.6, lng=-79.3)
    yield step("admin", "update_depot", depot_id="$depot", name="Depot")
    yield step("admin", "create_depot", {"spare": "depot.id"}, name="S", address="2 Bay St", lat=43.6, lng=-79.4)
    yield step("admin", "close_depot", depot_id="$spare")
    yield step("admin", "create_driver", {"dan": "driver.id"}, name="Dan", user_id="$driver")
    yield step("admin", "update_driver", driver_id="$dan", phone="+14165550100")
    yield step("admin", "add_return_reason", {"reason": "reason.id"}, code="wet", texts={"en": "Wet"})
    yield step("admin", "change_return_reason", reason_id="$reason", texts={"en": "Soaked"})


def _orders() -> Iterator[Step]:
    yield from map(order, ("o1", "o2", "o3", "o4", "o5", "o6"))
    yield step("admin", "update_order_note", order_id="$o1", note="ring twice")
    yield step("admin", "update_delivery_instruction", order_id="$o1", delivery_instruction="side door")
    window = {"window_start": "2026-06-11T14:00:00Z", "window_end": "2026-06-11T16:00:00Z"}
    yield step("admin", "update_time_window_by_refs", order_refs=["o1"], **window)
    yield step("admin", "hold_order", order_id="$o1")
    yield step("admin", "release_order", order_id="$o1")
    yield step("admin", "reroute_to_address", order_id="$o6", address=ELSEWHERE)
    yield step("admin", "bulk_create_orders", orders=[{"consignee": THERE, "order_ref": "b1"}])
    later = [{"consignee": THERE, "order_ref": "later"}]
    yield step("admin", "bulk_create_orders_async", {"batch": "async_id"}, orders=later)
    yield step("admin", "cancel_async_batch", id="$batch")


def _contractors() -> Iterator[Step]:
    yield step("admin", "assign_orders_to_broker", order_ids=["$o5"], broker_id="$contractor")
    yield step("contractor", "release_broker_order_assignment", order_id="$o5")
    yield step("admin", "assign_orders_to_broker", order_ids=["$o5"], broker_id="$contractor")
    yield step("admin", "revoke_broker_order_assignments", order_ids=["$o5"])
    yield step("admin", "create_contractor_rule", {"rule": "rule.id"}, contractor_id="$contractor", name="North")
    yield step("admin", "update_contractor_rule", rule_id="$rule", name="South")
    yield step("admin", "delete_contractor_rule", rule_id="$rule")


def _a_route() -> Iterator[Step]:
    plan = {"day": "2026-06-10", "depot_id": "$depot", "name": "R"}
    yield step("admin", "create_route", {"spare_route": "route.id"}, **plan)
    yield step("admin", "cancel_route", route_id="$spare_route")
    yield step("admin", "create_route", {"route": "route.id"}, **plan)
    yield step("admin", "add_orders_to_route", route_id="$route", order_ids=["$o1", "$o2", "$o3", "$o4"])
    yield step("admin", "take_orders_off_route", route_id="$route", order_ids=["$o4"])
    yield step("admin", "assign_route_driver", route_id="$route", driver_id="$dan")
    yield step("admin", "reorder_stops", route_id="$route", stop_ids="$stops")
    yield step("driver", "start_route", route_id="$route")
    yield step("driver", "arrive_at_stop", route_id="$route", stop_id="$stop1")
    yield step("driver", "deliver_stop", route_id="$route", stop_id="$stop1")
    yield step("driver", "fail_stop", route_id="$route", stop_id="$stop2", reason="recipient_absent", outcome="return")
    yield step("driver", "deliver_stop", route_id="$route", stop_id="$stop3")
    yield step("driver", "return_route_to_depot", route_id="$route")
    yield step("driver", "finish_route", route_id="$route")


def _approvals() -> Iterator[Step]:
    asked = {"tool": "hold_order", "arguments": {"order_id": "$o5"}}
    yield step("employee", "propose_write", {"refused": "approval.id"}, **asked)
    yield step("admin", "reject_pending_write", approval_id="$refused")
    yield step("employee", "propose_write", {"approved": "approval.id"}, **asked)
    yield step("admin", "approve_pending_write", approval_id="$approved")
    yield step("admin", "set_approval_policy", own_allowed=True)
    yield step("admin", "cancel_order", order_id="$o4")
    yield step("employee", "logout")
