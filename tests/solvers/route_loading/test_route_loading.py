"""Routes are limited to what can be loaded at departure and at every stop."""

from random import Random

from msgspec.structs import replace
from tests.solvers.routing.problem_makers import make_collection, make_delivery, make_pair, make_problem, make_vehicle

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.problem import Axle, Axles, DoorSide, LoadPiece, LoadSpace
from haulier.solvers.route_loading.build import build_loadable_routes
from haulier.solvers.route_loading.check import RouteLoadCheck
from haulier.solvers.route_loading.lanes import arrange_in_lanes
from haulier.solvers.route_loading.loads import Parcel, RouteLoads, loading_problem, moments_aboard
from haulier.solvers.route_loading.repair import LoadableRepair
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import JobTask, TaskKind

VAN = LoadSpace(id="van", inner=(2000, 1000, 1000), payload_g=1_000_000)
CRATE: Parcel = (900, 900, 900, 1000)
BEAM: Parcel = (1900, 600, 600, 1000)
FEW = SearchBudget(iterations=40)


def make_box(random: Random) -> Parcel:
    length, width, height = (random.randrange(100, 700, 10) for _ in range(3))
    return length, width, height, random.randrange(500, 9000)


def task(job: int, kind: str = "delivery") -> JobTask:
    return JobTask(job, TaskKind(kind))


def left_out(plan: RoutingPlan) -> dict[int, str]:
    return {each.job: each.reason.value for each in plan.unassigned}


def on_routes(plan: RoutingPlan) -> list[list[int]]:
    return sorted(sorted({stop.job for stop in route.stops}) for route in plan.routes)


def test_loads_are_checked_at_departure_and_after_the_last_of_several_pickups() -> None:
    tasks = [task(1), task(7, "pickup"), task(8, "pickup"), task(2), task(7), task(9, "pickup")]
    assert moments_aboard(tasks) == [
        ((1, 1), (2, 2)),
        ((2, 1), (7, 2), (8, 3)),
        ((8, 1), (9, 1)),
    ]
    assert moments_aboard([]) == []


def test_the_quick_arrangement_follows_every_rule() -> None:
    random = Random(5)
    arch = (800, 0, 0, 1200, 150, 300)
    for number in range(60):
        body = LoadSpace(
            id="van",
            inner=(3000, 1700, 1800),
            payload_g=random.choice((40_000, 1_000_000)),
            obstacles=(arch,) if number % 3 == 0 else (),
            fill_cap_percent=random.choice((20, 100)),
        )
        parcels = {
            job: tuple(make_box(random) for _ in range(random.randint(1, 3))) for job in range(1, random.randint(2, 25))
        }
        aboard = tuple((job, job) for job in parcels)
        problem = loading_problem(RouteLoads(bodies={1: body}, parcels=parcels), body, aboard)
        assert check_loading_plan(problem, arrange_in_lanes(problem)) == []


def test_boxes_that_fit_by_volume_but_not_by_size_use_another_vehicle() -> None:
    """Three crates fit the van by volume with half to spare, but only two by size."""
    jobs = tuple(make_delivery(number, place=number) for number in (1, 2, 3))
    problem = make_problem(*jobs, vehicles=(make_vehicle(1), make_vehicle(2, fixed_cost=1000)))
    loads = RouteLoads(bodies={1: VAN, 2: VAN}, parcels=dict.fromkeys((1, 2, 3), (CRATE,)))
    shown: list[RoutingPlan] = []

    def show(plan: RoutingPlan) -> bool:
        shown.append(plan)
        return True

    plan = build_loadable_routes(problem, loads, budget=FEW, progress=show)
    assert [len(jobs) for jobs in on_routes(plan)] in ([1, 2], [2, 1])
    assert (left_out(plan), check_plan(problem, plan)) == ({}, [])
    repair = LoadableRepair(problem, loads)
    assert shown
    assert all(repair.repair_loads(each) is each for each in shown)
    assert build_loadable_routes(problem, loads, budget=FEW) == plan
    alone = make_problem(*jobs)
    assert list(left_out(build_loadable_routes(alone, loads, budget=FEW)).values()) == ["loading"]


def test_boxes_that_fit_no_vehicle_are_reported_and_do_not_affect_others() -> None:
    loads = RouteLoads(bodies={1: VAN}, parcels={1: (CRATE,), 2: ((2100, 100, 100, 5),), 3: ((10, 10, 10, 2_000_000),)})
    jobs = tuple(make_delivery(number, place=number) for number in (1, 2, 3))
    plan = build_loadable_routes(make_problem(*jobs), loads, budget=FEW)
    assert (on_routes(plan), left_out(plan)) == ([[1]], {2: "loading", 3: "loading"})
    open_top = make_problem(*jobs, vehicles=(make_vehicle(1), make_vehicle(2)))
    assert left_out(build_loadable_routes(open_top, loads, budget=FEW)) == {}


def test_collected_boxes_must_fit_with_the_remaining_load() -> None:
    loads = RouteLoads(bodies={1: VAN}, parcels={1: (BEAM,), 2: (BEAM,), 3: (BEAM,)})
    ends_full = make_problem(make_delivery(1, place=1), make_collection(2, place=2))
    assert left_out(build_loadable_routes(ends_full, loads, budget=FEW)) == {}
    check = RouteLoadCheck(loads)
    assert check.left_behind(1, [task(1), task(2, "pickup")]) == frozenset()
    assert check.left_behind(1, [task(2, "pickup"), task(1)])
    crossed = make_problem(make_pair(2, 1, 3), make_collection(3, place=2))
    assert check.left_behind(1, [task(2, "pickup"), task(3, "pickup"), task(2)])
    assert left_out(build_loadable_routes(crossed, loads, budget=FEW)) == {}


def test_stop_order_payload_and_axles_restrict_loading_like_sizes() -> None:
    """A plate must lie flat and bears only a strip: it is loaded last, or not at all."""
    tall: Parcel = (1000, 1000, 950, 1000)
    plate: Parcel = (2000, 1000, 40, 1)
    check = RouteLoadCheck(RouteLoads(bodies={1: VAN}, parcels={1: (plate,), 2: (tall, tall)}))
    assert check.left_behind(1, [task(1), task(2)]) == frozenset()
    assert check.left_behind(1, [task(2), task(1)]) == frozenset()
    through = RouteLoads(
        bodies={1: replace(VAN, doors=(DoorSide.REAR,))}, parcels={1: ((2000, 450, 900, 1),), 2: (tall,)}
    )
    assert RouteLoadCheck(through).left_behind(1, [task(1), task(2)])
    small: Parcel = (100, 100, 100, 6000)
    heavy = RouteLoads(bodies={1: replace(VAN, payload_g=10_000)}, parcels={1: (small,), 2: (small,)})
    assert len(RouteLoadCheck(heavy).left_behind(1, [task(1), task(2)])) == 1
    steer = Axle(position_mm=-500, limit_g=10**9, tare_g=1000, least_g=1000)
    axles = Axles(front=steer, rear=Axle(position_mm=0, limit_g=10**9))
    tipping = RouteLoads(bodies={1: replace(VAN, axles=axles)}, parcels={1: (small,)})
    assert RouteLoadCheck(tipping).left_behind(1, [task(1)]) == {1}


def test_locked_stops_stay_and_vehicles_without_a_cargo_space_are_unchecked() -> None:
    locked = make_vehicle(1, locked=(task(1), task(2), task(3)))
    jobs = tuple(make_delivery(number, place=number) for number in (1, 2, 3))
    loads = RouteLoads(bodies={1: VAN}, parcels=dict.fromkeys((1, 2, 3), (CRATE,)))
    assert left_out(build_loadable_routes(make_problem(*jobs, vehicles=(locked,)), loads, budget=FEW)) == {}
    assert RouteLoadCheck(RouteLoads(bodies={}, parcels={})).left_behind(1, [task(1)]) == frozenset()


def test_an_order_of_several_boxes_is_loaded_completely_or_not_at_all() -> None:
    loads = RouteLoads(bodies={1: VAN}, parcels={1: (CRATE, CRATE), 2: (CRATE,)})
    problem = make_problem(make_delivery(1, place=1), make_delivery(2, place=2))
    plan = build_loadable_routes(problem, loads, budget=FEW)
    assert sorted(len(jobs) for jobs in on_routes(plan)) == [1]
    assert set(left_out(plan).values()) == {"loading"}


def test_a_search_by_time_returns_a_plan_without_time_for_arrangements() -> None:
    jobs = tuple(make_delivery(number, place=number) for number in (1, 2, 3))
    loads = RouteLoads(bodies={1: VAN}, parcels=dict.fromkeys((1, 2, 3), (CRATE,)))
    problem = make_problem(*jobs)
    plan = build_loadable_routes(problem, loads, budget=SearchBudget(seconds=0.2))
    kept = LoadableRepair(problem, loads).repair_loads(plan, until_s=0.0)
    assert [len(found) for found in on_routes(kept)] == [2]
    two = make_problem(*jobs, vehicles=(make_vehicle(1), make_vehicle(2, fixed_cost=1000)))
    together = build_routes(two, budget=FEW).plan
    assert [len(found) for found in on_routes(together)] == [3]
    hurried = LoadableRepair(two, RouteLoads(bodies={1: VAN, 2: VAN}, parcels=loads.parcels)).repair_loads(
        together, 0.0
    )
    assert (sorted(map(len, on_routes(hurried))), left_out(hurried)) == ([1, 2], {})


def test_a_piece_id_contains_its_job() -> None:
    problem = loading_problem(RouteLoads(bodies={}, parcels={7: (CRATE, BEAM)}), VAN, ((7, 1), (8, 2)))
    assert problem.pieces == (
        LoadPiece(id="7/0", size=CRATE[:3], weight_g=1000, stop=1),
        LoadPiece(id="7/1", size=BEAM[:3], weight_g=1000, stop=1),
    )
