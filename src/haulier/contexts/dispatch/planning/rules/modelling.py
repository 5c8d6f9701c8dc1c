"""A question in the solver's words. Job ids are order ids, vehicle ids are driver ids, places are numbered once each."""

from collections.abc import Iterable

import numpy as np
from msgspec.structs import replace

from haulier.contexts.dispatch.planning.rules.question import (
    DIMENSIONS,
    UNLIMITED,
    Aims,
    Crew,
    Demand,
    Question,
    Seconds,
    Spot,
    Standing,
)
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.plan import Plan, Reason, Route, Stop, Unassigned
from haulier.solvers.routing.problem import (
    Break,
    Depot,
    Job,
    Kind,
    Objective,
    Problem,
    Task,
    Vehicle,
    Visit,
    Window,
)
from haulier.solvers.routing.reasons import Reasons
from haulier.solvers.routing.travel import Travel

LONG_S = 86_400
"""By how much stops of a route under way may be late, and its driver's day longer: they are done all the same."""
Windows = tuple[Window, ...]


def places(question: Question) -> list[Spot]:
    """Every place of the question, once."""
    ends = [spot for crew in question.crews for spot in (crew.depot, crew.start, crew.end)]
    visits = [spot for demand in question.demands for spot in (demand.pickup, demand.stop)]
    return list(dict.fromkeys(spot for spot in (*ends, *visits) if spot is not None))


def located(demand: Demand) -> bool:
    """Whether it is known where to go."""
    needs_pickup = demand.type == "P2P" and not demand.collected
    return demand.stop is not None and (demand.pickup is not None or not needs_pickup)


def problem(question: Question, travel: Travel) -> Problem:
    """The question over travel times between `places`. Orders without a place are left out."""
    at = {spot: number for number, spot in enumerate(places(question))}
    mine = {stop.order_id for crew in question.crews if _under_way(crew) for stop in _standing(crew)}
    return Problem(
        travel=travel,
        vehicles=tuple(_vehicle(crew, at) for crew in question.crews),
        jobs=tuple(_job(each, at, question, each.order_id in mine) for each in question.demands if located(each)),
        depots=_depots(question.crews, at),
        dimensions=DIMENSIONS,
        objective=objective(question.aims),
    )


def objective(aims: Aims) -> Objective:
    """The weights in the solver's units."""
    return Objective(
        cost=aims.cost,
        distance_m=aims.distance / 1000,
        duration_s=aims.duration / 3600,
        vehicles=aims.vehicles,
        balance_s=aims.balance / 3600,
        lateness_s=aims.lateness / 60,
    )


def current(question: Question) -> Plan | None:
    """The routes that there are, as a plan to begin with; None when there are none. Its times say nothing."""
    at = {spot: number for number, spot in enumerate(places(question))}
    demands = {each.order_id: each for each in question.demands if located(each)}
    routes: list[Route] = []
    for crew in question.crews:
        stops = [_stop(demands[s.order_id], Kind(s.kind), at) for s in _standing(crew) if s.order_id in demands]
        if stops:
            routes.append(Route(vehicle=crew.driver_id, start_s=0, end_s=0, distance_m=0, stops=tuple(stops)))
    return Plan(routes=tuple(routes)) if routes else None


def impossible(question: Question) -> tuple[Unassigned, ...] | None:
    """Why no order can be on any route, when that is plain even if every trip took no time; else None.

    So a question without an answer needs no search. A single possible order ends the look.
    """
    nowhere = replace(question, demands=tuple(each for each in question.demands if located(each)))
    here = Travel(np.zeros((1, 1), dtype=np.int32), np.zeros((1, 1), dtype=np.int32))
    if any(_standing(crew) for crew in question.crews):
        return None
    spots = dict.fromkeys(places(nowhere), 0)
    small = Problem(
        travel=here,
        vehicles=tuple(_vehicle(crew, spots) for crew in question.crews),
        jobs=tuple(_job(each, spots, question, False) for each in nowhere.demands),
        dimensions=DIMENSIONS,
    )
    reasons = Reasons(Ground(small))
    if any(reasons.alone(number) is None for number in range(len(small.jobs))):
        return None
    return reasons.explain(range(len(small.jobs)), lambda job: False)


def nowhere(question: Question) -> tuple[Unassigned, ...]:
    """Orders without a place: there is no way to them."""
    lost = (each for each in question.demands if not located(each))
    return tuple(Unassigned(job=each.order_id, reason=Reason.UNREACHABLE, facts={"place": "unknown"}) for each in lost)


def _under_way(crew: Crew) -> bool:
    return crew.route is not None and crew.route.under_way


def _standing(crew: Crew) -> tuple[Standing, ...]:
    return crew.route.stops if crew.route else ()


def _span(question: Question) -> Seconds:
    """Before and after everything: what an open end of a time window stands for."""
    shifts = [crew.shift for crew in question.crews] or [(0, 0)]
    return min(shift[0] for shift in shifts) - LONG_S, max(shift[1] for shift in shifts) + 2 * LONG_S


def _vehicle(crew: Crew, at: dict[Spot, int]) -> Vehicle:
    free = _under_way(crew)
    stops = _standing(crew)
    kept = max((number for number, stop in enumerate(stops, 1) if stop.kept), default=0)
    return Vehicle(
        id=crew.driver_id,
        start=at[crew.start],
        end=None if crew.end is None else at[crew.end],
        shift=Window(crew.shift[0], crew.shift[1] + (LONG_S if free else 0)),
        capacity=tuple(UNLIMITED if most is None else most for most in crew.capacity),
        aboard=crew.aboard,
        skills=frozenset(crew.skills),
        breaks=tuple(Break(window=Window(a, b), duration_s=length) for a, b, length in crew.breaks),
        speed_percent=crew.speed_percent,
        fixed_cost=crew.cost_fixed,
        cost_per_km=crew.cost_per_km,
        cost_per_hour=crew.cost_per_hour,
        max_stops=None if free else crew.max_stops,
        max_time_s=None if free else crew.max_time_s,
        max_distance_m=None if free else crew.max_distance_m,
        locked=tuple(Task(stop.order_id, Kind(stop.kind)) for stop in stops[:kept]),
    )


def _job(demand: Demand, at: dict[Spot, int], question: Question, under_way: bool) -> Job:
    grace = LONG_S if under_way else question.grace_s
    windows = _windows(demand.window, _span(question))
    stop = _visit(demand.stop, at, demand.service_s, windows, grace)
    pickup = None
    if demand.type == "P":
        pickup, stop = stop, None
    elif demand.type == "P2P" and not demand.collected:
        pickup = _visit(demand.pickup, at, demand.service_s, (), 0)
    return Job(
        id=demand.order_id,
        pickup=pickup,
        delivery=stop,
        demand=demand.load,
        skills=frozenset(demand.skills),
        vehicles=None if demand.drivers is None else frozenset(demand.drivers),
        priority=demand.priority,
        prize=demand.prize,
    )


def _visit(spot: Spot | None, at: dict[Spot, int], service_s: int, windows: Windows, grace_s: int) -> Visit | None:
    if spot is None:
        return None
    return Visit(place=at[spot], service_s=service_s, windows=windows, grace_s=grace_s if windows else 0)


def _windows(window: tuple[int | None, int | None], span: Seconds) -> Windows:
    opens, closes = window
    if window == (None, None):
        return ()
    return (Window(span[0] if opens is None else opens, span[1] if closes is None else closes),)


def _depots(crews: Iterable[Crew], at: dict[Spot, int]) -> tuple[Depot, ...]:
    """Where vehicles load. One under way has loaded, so its start is no depot, unless others load there too."""
    loading = {at[crew.depot]: crew.loading_s for crew in crews if not _under_way(crew) and crew.start == crew.depot}
    return tuple(Depot(place=place, loading_s=seconds) for place, seconds in loading.items())


def _stop(demand: Demand, kind: Kind, at: dict[Spot, int]) -> Stop:
    spot = demand.pickup if demand.type == "P2P" and kind is Kind.PICKUP else demand.stop
    assert spot is not None
    return Stop(
        job=demand.order_id,
        kind=kind,
        place=at[spot],
        arrival_s=0,
        wait_s=0,
        start_s=0,
        departure_s=0,
        late_s=0,
        load=(),
    )
