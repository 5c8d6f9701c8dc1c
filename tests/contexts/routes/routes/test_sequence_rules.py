"""Valid stop sequences, and stops that may leave a route."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.routes.routes.rules.progress import RouteState, RouteStatus, StopState
from haulier.contexts.routes.routes.rules.sequence import (
    arrange_open_stops,
    check_routes_match,
    check_stop_reorder,
    check_stop_sequence,
    check_stops_may_leave,
    insert_stop_ids,
    is_stop_fixed,
    stops_of_whole_orders,
    stops_with_outdated_plan,
    with_partner_stops,
)
from haulier.contexts.routes.stops.rules import StopKind, StopStatus
from haulier.kernel.operations.errors import OperationError

PLANNED, STARTED = RouteState(status=RouteStatus.ASSIGNED), RouteState(status=RouteStatus.STARTED)


def make_stop(id: int, status: str = "planned", kind: str = "delivery", **words: Any) -> StopState:
    return StopState(**{"id": id, "order_id": id, "kind": StopKind(kind), "status": StopStatus(status), **words})


def said(refusal: OperationError | None) -> str | None:
    return refusal and refusal.error_type.code


def test_open_stops_are_numbered_around_finished_ones() -> None:
    stops = [make_stop(1), make_stop(2, "completed"), make_stop(3), make_stop(4)]
    assert arrange_open_stops(stops, [4, 1, 3]) == [4, 2, 1, 3]


@for_every(
    ("position", "wanted"), [(1, [8, 9, 1, 2, 3]), (2, [1, 8, 9, 2, 3]), (9, [1, 2, 3, 8, 9]), (None, [1, 2, 3, 8, 9])]
)
def test_stops_arrive_at_the_named_position(position: int | None, wanted: list[int]) -> None:
    assert insert_stop_ids([1, 2, 3], [8, 9], position) == wanted


def test_a_locked_stop_counts_in_the_order_and_keeps_its_number() -> None:
    stops = [make_stop(1), make_stop(2, locked=True), make_stop(3)]
    assert said(check_stop_reorder(stops, [3, 2, 1])) is None
    assert said(check_stop_reorder(stops, [2, 3, 1])) == "STOP_STAYS"
    assert said(check_stop_reorder(stops, [3, 1])) == "STOPS_DO_NOT_MATCH"


def test_no_stop_can_be_placed_before_fixed_ones() -> None:
    before = [make_stop(1), make_stop(2, "completed"), make_stop(3)]
    known = {stop.id: stop for stop in [*before, make_stop(9)]}
    assert said(check_stop_sequence(before, known, [1, 2, 9, 3])) is None
    assert said(check_stop_sequence(before, known, [1, 9, 2, 3])) == "STOP_STAYS"


def test_the_unnamed_partner_stop_is_placed_beside_the_named_one() -> None:
    pickup, delivery = make_stop(1, kind="pickup", order_id=5), make_stop(2, order_id=5)
    other = make_stop(3)
    assert [stop.id for stop in with_partner_stops([other, delivery], [pickup, delivery])] == [3, 1, 2]
    assert [stop.id for stop in with_partner_stops([pickup, other], [pickup, delivery])] == [1, 2, 3]
    assert [stop.id for stop in with_partner_stops([pickup, other, delivery], [pickup, delivery])] == [1, 3, 2]


def test_failed_and_returned_stops_are_not_moved_along() -> None:
    stops = [make_stop(1, "brought_back", on_route=False, order_id=5), make_stop(2, order_id=5), make_stop(3)]
    assert [stop.id for stop in stops_of_whole_orders(stops, {2})] == [2]


FETCH, GIVE = make_stop(1, kind="pickup", order_id=5), make_stop(2, order_id=5)


@for_every(
    ("leaving", "route", "to", "code"),
    [
        ([make_stop(1)], PLANNED, PLANNED, None),
        ([make_stop(1, locked=True)], PLANNED, PLANNED, "STOP_STAYS"),
        ([make_stop(1)], STARTED, STARTED, "GOODS_ABOARD"),
        ([make_stop(1)], PLANNED, STARTED, "GOODS_AT_DEPOT"),
        ([FETCH, GIVE], PLANNED, STARTED, None),
        ([FETCH, GIVE], STARTED, STARTED, None),
        ([FETCH, GIVE], STARTED, PLANNED, "ROUTE_ON_THE_ROAD"),
        ([make_stop(1, "arrived", kind="pickup")], STARTED, STARTED, None),
        ([make_stop(1, "completed", kind="pickup", order_id=5), GIVE], STARTED, STARTED, "GOODS_ABOARD"),
    ],
)
def test_removable_orders_depend_on_the_location_of_their_goods(
    leaving: list[StopState], route: RouteState, to: RouteState, code: str | None
) -> None:
    assert said(check_stops_may_leave(route, leaving, to)) == code


def test_only_merged_routes_require_one_depot() -> None:
    here, there = (RouteState(status=RouteStatus.DRAFT, depot_id=id) for id in (1, 2))
    assert check_routes_match(here, there) is None
    assert said(check_routes_match(here, there, merging=True)) == "ROUTES_DO_NOT_MATCH"


def test_a_plan_is_valid_up_to_the_first_different_stop() -> None:
    assert stops_with_outdated_plan([1, 2, 3], [1, 3]) == [3]
    assert stops_with_outdated_plan([1, 2, 3], [1, 2, 3, 4]) == [4]
    assert stops_with_outdated_plan([1, 2], [1, 2]) == []
    assert stops_with_outdated_plan([1, 2], [1]) == []


stops = st.lists(
    st.tuples(st.sampled_from(["planned", "arrived", "completed", "failed"]), st.booleans()), min_size=1, max_size=12
)


@given(stops, st.data())
def test_any_request_keeps_the_numbers_of_fixed_stops_or_is_refused(
    kinds: list[tuple[str, bool]], data: st.DataObject
) -> None:
    before = [make_stop(n, status, locked=locked) for n, (status, locked) in enumerate(kinds, start=1)]
    newcomers = [make_stop(100 + n) for n in range(data.draw(st.integers(0, 3)))]
    within = data.draw(st.sets(st.sampled_from(before), max_size=3))
    position = data.draw(st.none() | st.integers(1, 15))
    arriving = [*newcomers, *sorted(within, key=lambda stop: stop.id)]
    wanted = insert_stop_ids([stop.id for stop in before], [stop.id for stop in arriving], position)
    known = {stop.id: stop for stop in [*before, *newcomers]}
    assert sorted(wanted) == sorted(known)
    kept = all(wanted[place] == stop.id for place, stop in enumerate(before) if is_stop_fixed(stop))
    assert (check_stop_sequence(before, known, wanted) is None) == kept
