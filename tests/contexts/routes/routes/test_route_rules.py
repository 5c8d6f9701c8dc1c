"""States of routes and stops, and permitted actions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.routes.routes.rules import progress
from haulier.contexts.routes.routes.rules.progress import (
    RouteAction,
    RouteState,
    RouteStatus,
    RouteViewer,
    StopState,
    allowed_route_actions,
    allowed_stop_actions,
    check_route_finish,
    may_act_on_route,
    sees_route,
    stops_with_goods_aboard,
)
from haulier.contexts.routes.routes.rules.sequence import check_stop_reorder
from haulier.contexts.routes.stops.rules import STOP_TRANSITIONS as STOP_MOVES
from haulier.contexts.routes.stops.rules import StopAction, StopKind, StopStatus, stop_kinds_of_order
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import OperationError

HERS, DAN = 7, 9
OFFICE = RouteViewer(Account.EMPLOYEE, 1)
HER = RouteViewer(Account.CONTRACTOR, HERS)
HIM = RouteViewer(Account.CONTRACTOR, 8)
DRIVER = RouteViewer(Account.DRIVER, DAN)
OVER = {RouteStatus.FINISHED, RouteStatus.CANCELLED}


def make_route(status: RouteStatus = RouteStatus.STARTED, **words: Any) -> RouteState:
    return RouteState(status=status, **words)


def make_stop(
    id: int, status: str = "planned", kind: str = "delivery", order_id: int | None = None, **words: Any
) -> StopState:
    return StopState(id=id, order_id=order_id or id, kind=StopKind(kind), status=StopStatus(status), **words)


def test_a_route_passes_from_draft_to_finished() -> None:
    status = RouteStatus.DRAFT
    for act in (
        RouteAction.ADD_ORDERS,
        RouteAction.ASSIGN_DRIVER,
        RouteAction.START,
        RouteAction.VISIT_STOPS,
        RouteAction.FINISH,
    ):
        status = progress.next_route_status_or_raise(act, status)
    assert status is RouteStatus.FINISHED


@given(st.lists(st.sampled_from(RouteAction), max_size=12))
def test_no_action_reopens_a_finished_route(acts: list[RouteAction]) -> None:
    status, over = RouteStatus.DRAFT, False
    for act in acts:
        status = progress.next_route_status(act, status) or status
        assert not over or status in OVER
        over = status in OVER


@given(st.lists(st.sampled_from(sorted(set(StopAction) - {StopAction.REOPEN})), max_size=12))
def test_a_stop_ends_once_unless_it_is_reopened(acts: list[StopAction]) -> None:
    status, ended = StopStatus.PLANNED, set[StopStatus]()
    for act in acts:
        status = STOP_MOVES[act].get(status, status)
        ended |= {status} & {StopStatus.COMPLETED, StopStatus.FAILED}
    assert len(ended) <= 1


def test_a_started_route_cannot_be_cancelled() -> None:
    with pytest.raises(OperationError) as refused:
        progress.next_route_status_or_raise(RouteAction.CANCEL, RouteStatus.STARTED)
    assert (refused.value.error_type.code, refused.value.params) == (
        "ROUTE_CANNOT",
        {"act": "cancel", "status": "started"},
    )


def test_the_diagram_is_generated_from_the_state_machine() -> None:
    drawn = progress.mermaid()
    assert drawn.startswith("stateDiagram-v2\n    [*] --> draft\n")
    assert "    assigned --> started: start\n" in drawn
    assert "    cancelled --> [*]\n" in drawn
    assert "    started --> aborted: abort\n" in drawn
    assert drawn.count("-->") == 11


def test_only_involved_users_see_a_route() -> None:
    route = make_route(contractor_id=HERS, driver_user_id=DAN)
    assert [sees_route(route, viewer) for viewer in (OFFICE, HER, HIM, DRIVER)] == [True, True, False, True]
    undriven = make_route(contractor_id=None, driver_user_id=None)
    assert [sees_route(undriven, viewer) for viewer in (OFFICE, HER, DRIVER, RouteViewer(Account.DRIVER, None))] == [
        True,
        False,
        False,
        False,
    ]


def test_users_plan_their_own_routes_and_the_office_can_remove_orders_anywhere() -> None:
    hers, ours = make_route(contractor_id=HERS, driver_user_id=DAN), make_route(driver_user_id=DAN)
    assert may_act_on_route(RouteAction.ADD_ORDERS, hers, HER)
    assert not may_act_on_route(RouteAction.ADD_ORDERS, hers, OFFICE)
    assert may_act_on_route(RouteAction.ADD_ORDERS, ours, OFFICE)
    assert may_act_on_route(RouteAction.REMOVE_ORDERS, hers, OFFICE)
    assert not may_act_on_route(RouteAction.REMOVE_ORDERS, ours, DRIVER)
    assert may_act_on_route(RouteAction.START, ours, DRIVER)


def test_allowed_actions_depend_on_the_state_of_the_route() -> None:
    stops = [make_stop(1), make_stop(2)]
    route = {"driver_user_id": DAN}
    assert allowed_route_actions(make_route(RouteStatus.ASSIGNED, **route), stops, DRIVER) == (RouteAction.START,)
    assert allowed_route_actions(make_route(RouteStatus.ASSIGNED, **route), [], DRIVER) == ()
    assert allowed_route_actions(make_route(**route), stops, DRIVER) == (RouteAction.VISIT_STOPS,)
    ended = [make_stop(1, "completed"), make_stop(2, "failed")]
    assert allowed_route_actions(make_route(**route), ended, DRIVER) == (
        RouteAction.REOPEN_STOPS,
        RouteAction.RETURN_TO_DEPOT,
    )
    home = [make_stop(1, "completed"), make_stop(2, "brought_back", on_route=False)]
    assert allowed_route_actions(make_route(**route), home, DRIVER) == (RouteAction.FINISH,)
    assert allowed_route_actions(make_route(RouteStatus.FINISHED, **route), home, OFFICE) == ()


def test_allowed_stop_actions_depend_on_the_state_of_the_stop() -> None:
    route = make_route(driver_user_id=DAN)
    assert allowed_stop_actions(route, make_stop(1), [], DRIVER) == (
        StopAction.ARRIVE,
        StopAction.DELIVER,
        StopAction.FAIL,
    )
    assert allowed_stop_actions(route, make_stop(1, "arrived"), [], DRIVER) == (StopAction.DELIVER, StopAction.FAIL)
    assert allowed_stop_actions(route, make_stop(1, "completed"), [], DRIVER) == ()
    assert allowed_stop_actions(make_route(RouteStatus.ASSIGNED, driver_user_id=DAN), make_stop(1), [], DRIVER) == ()
    assert allowed_stop_actions(route, make_stop(1), [], HIM) == ()


def test_uncollected_goods_cannot_be_delivered() -> None:
    route = make_route(driver_user_id=DAN)
    stops = [make_stop(1, kind="pickup", order_id=5), make_stop(2, order_id=5)]
    assert StopAction.DELIVER not in allowed_stop_actions(route, stops[1], stops, DRIVER)
    stops[0] = make_stop(1, "completed", kind="pickup", order_id=5)
    assert StopAction.DELIVER in allowed_stop_actions(route, stops[1], stops, DRIVER)


def test_a_vehicle_carries_failed_deliveries_and_goods_for_the_depot() -> None:
    stops = [
        make_stop(1, "completed"),
        make_stop(2, "failed"),
        make_stop(3, "completed", kind="pickup"),
        make_stop(4, "completed", kind="pickup", order_id=9),
        make_stop(5, "completed", order_id=9),
        make_stop(6, "handed_in", kind="pickup"),
    ]
    assert [stop.id for stop in stops_with_goods_aboard(stops)] == [2, 3]


def test_goods_of_a_failed_pickup_are_not_on_board() -> None:
    missed = [make_stop(1, "failed", kind="pickup", order_id=9), make_stop(2, "failed", order_id=9)]
    collected = [make_stop(3, "completed", kind="pickup", order_id=8), make_stop(4, "failed", order_id=8)]
    assert [stop.id for stop in stops_with_goods_aboard([*missed, *collected])] == [4]
    assert check_route_finish(missed) is None


@pytest.mark.parametrize(
    ("stops", "code"),
    [
        ([make_stop(1, "arrived"), make_stop(2, "failed")], "ROUTE_HAS_OPEN_STOPS"),
        ([make_stop(1, "completed"), make_stop(2, "failed")], "ROUTE_STILL_CARRIES"),
        ([make_stop(1, "completed"), make_stop(2, "brought_back", on_route=False)], None),
    ],
)
def test_a_route_is_finished_when_no_stops_are_open(stops: list[StopState], code: str | None) -> None:
    refusal = check_route_finish(stops)
    assert (refusal and refusal.error_type.code) == code


def test_reordering_requires_all_stops_with_pickups_first() -> None:
    stops = [make_stop(1, "completed"), make_stop(2, kind="pickup", order_id=8), make_stop(3, order_id=8), make_stop(4)]
    said = [check_stop_reorder(stops, wanted) for wanted in ([4, 2, 3], [4, 3, 2], [2, 3], [1, 2, 3, 4], [2, 2, 3, 4])]
    codes = [refusal and refusal.error_type.code for refusal in said]
    assert codes == [None, "PICKUP_COMES_FIRST", *["STOPS_DO_NOT_MATCH"] * 3]


@given(st.data())
def test_plain_deliveries_can_be_in_any_order(data: st.DataObject) -> None:
    stops = [make_stop(id) for id in data.draw(st.sets(st.integers(1, 50), min_size=1))]
    wanted = data.draw(st.permutations([stop.id for stop in stops]))
    assert check_stop_reorder(stops, wanted) is None
    assert check_stop_reorder(stops, wanted[1:]) is not None


def test_each_type_of_order_has_its_stops() -> None:
    assert stop_kinds_of_order("D", collected=False) == (StopKind.DELIVERY,)
    assert stop_kinds_of_order("P", collected=True) == (StopKind.PICKUP,)
    assert stop_kinds_of_order("P2P", collected=False) == (StopKind.PICKUP, StopKind.DELIVERY)
    assert stop_kinds_of_order("P2P", collected=True) == (StopKind.DELIVERY,)
