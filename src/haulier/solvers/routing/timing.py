"""Times of a vehicle for a given order of stops.

Arriving earlier never hurts, so the earliest times, stop by stop, decide whether an order of stops is feasible; with
breaks, the earliest time is kept for every number of breaks already taken. The departure is then postponed as long as
the route ends no later and no stop becomes late, because waiting before departure costs nothing.
"""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.routing.compiled import INFINITE_S, CompiledProblem, CompiledVehicle
from haulier.solvers.routing.travel import UNREACHABLE

BreakSpan = tuple[int, int, int]
"""A break: earliest start, latest start, length."""
MAX_DEPARTURES_TRIED = 50


class RouteLeg(Struct, frozen=True):
    """Way to the next stop: arrival, earliest service without windows, and breaks."""

    arrival_s: int
    ready_s: int
    pauses: tuple[tuple[int, int], ...]


class RouteSchedule(Struct, frozen=True, kw_only=True):
    """The times of a route.

    `legs` has one more entry than there are stops: the way to the end, of length zero for an open end.
    """

    start_s: int
    end_s: int
    legs: tuple[RouteLeg, ...]
    starts_s: tuple[int, ...]
    taken: tuple[tuple[int, ...], ...]
    """The numbers of the breaks taken on each leg."""
    late_s: int
    waits: bool
    """True if there is idle time; without it, no other departure makes the route shorter."""

    @property
    def duration_s(self) -> int:
        """Return the time from departure to the end."""
        return self.end_s - self.start_s


def get_drive_leg(leave_s: int, drive_s: int, breaks: Sequence[BreakSpan]) -> RouteLeg | None:
    """Drive with breaks in order, each as early as allowed; None if one is too late."""
    clock, left_s, arrival = leave_s, drive_s, leave_s + drive_s if not breaks else None
    pauses: list[tuple[int, int]] = []
    for earliest, latest, length in breaks:
        driven = min(left_s, max(0, earliest - clock))
        clock, left_s = clock + driven, left_s - driven
        if left_s == 0 and arrival is None:
            arrival = clock
        start = max(clock, earliest)
        if start > latest:
            return None
        clock = start + length
        pauses.append((start, clock))
    ready = clock + left_s
    return RouteLeg(ready if arrival is None else arrival, ready, tuple(pauses))


def route_timing(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> RouteSchedule | None:
    """Return the times with the earliest end, then the latest departure.

    The end is later only if that satisfies `max_time_s`. None if infeasible. A route of locked stops only is always
    feasible, because its hours and limits are the decision of staff.
    """
    if all(node in compiled.bound for node in nodes):
        return _search_timing(compiled, crew, nodes, _TimingBounds()) or _search_timing(
            compiled, replace(crew, breaks=()), nodes, _TimingBounds()
        )
    most = crew.vehicle.max_time_s
    return _search_timing(
        compiled, crew, nodes, _TimingBounds(crew.last_begin_s, crew.finish_s, INFINITE_S if most is None else most)
    )


class _TimingBounds(Struct, frozen=True):
    """Latest start of work, latest end, and maximum duration."""

    begin_s: int = INFINITE_S
    finish_s: int = INFINITE_S
    longest_s: int = INFINITE_S


def _search_timing(
    compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int], bounds: _TimingBounds
) -> RouteSchedule | None:
    begin = crew.begin_s
    for _ in range(MAX_DEPARTURES_TRIED):
        pick = _earliest_choice(compiled, crew, nodes, begin, bounds.finish_s) if begin <= bounds.begin_s else None
        if pick is None:
            return None
        for grace in (False, True):
            timing = _latest_departure_timing(compiled, crew, nodes, pick, bounds.begin_s, grace=grace)
            if timing.duration_s <= bounds.longest_s:
                return timing
        if not timing.waits:
            return None
        begin = timing.start_s + 1
    return None


class _BreakChoice(Struct, frozen=True):
    """Assignment of breaks to legs, and the earliest times."""

    begin_s: int
    breaks: tuple[tuple[int, ...], ...]
    starts_s: tuple[int, ...]
    end_s: int


def _earliest_choice(
    compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int], begin_s: int, finish_s: int
) -> _BreakChoice | None:
    """Return the assignment of breaks to legs that ends first."""
    first = next((n for n, rest in enumerate(crew.breaks) if rest[1] >= begin_s), len(crew.breaks))
    ready: dict[int, int] = {first: begin_s + crew.loading_s}
    origins: list[dict[int, int]] = []
    last_place = crew.vehicle.start
    for node in (*nodes, None):
        place = crew.vehicle.end if node is None else compiled.place[node]
        drive = crew.travel[last_place][place] if place is not None else 0
        ready, origin = _extend_times(compiled, crew, ready, drive, node) if drive < UNREACHABLE else ({}, {})
        if not ready:
            return None
        origins.append(origin)
        last_place = last_place if place is None else place
    ends = {count: end for count, end in ready.items() if end <= finish_s and _no_break_due(crew, count, end)}
    if not ends:
        return None
    break_count = min(ends, key=lambda count: (ends[count], count))
    return _choice_with_times(compiled, crew, nodes, begin_s, _breaks_on_legs(origins, break_count))


def _no_break_due(crew: CompiledVehicle, break_count: int, end_s: int) -> bool:
    return all(latest >= end_s for _, latest, _ in crew.breaks[break_count:])


def _extend_times(
    compiled: CompiledProblem, crew: CompiledVehicle, ready: dict[int, int], drive_s: int, node: int | None
) -> tuple[dict[int, int], dict[int, int]]:
    """Extend the earliest departures, by breaks taken, to the next node or the end.

    Also returns the number of breaks taken before the leg for each. The end is `node` None.
    """
    after: dict[int, int] = {}
    origin: dict[int, int] = {}
    for break_count, leave in ready.items():
        for count in range(break_count, len(crew.breaks) + 1):
            way = get_drive_leg(leave, drive_s, crew.breaks[break_count:count])
            if way is None:
                break
            done = max(way.ready_s, crew.open_s) if node is None else compiled.earliest_start_s(node, way.ready_s)
            if node is not None and done < INFINITE_S:
                done += compiled.service[node]
            if done < after.get(count, INFINITE_S):
                after[count], origin[count] = done, break_count
    return after, origin


def _breaks_on_legs(origins: list[dict[int, int]], break_count: int) -> tuple[tuple[int, ...], ...]:
    legs: list[tuple[int, ...]] = []
    for origin in reversed(origins):
        legs.append(tuple(range(origin[break_count], break_count)))
        break_count = origin[break_count]
    return tuple(reversed(legs))


def _choice_with_times(
    compiled: CompiledProblem,
    crew: CompiledVehicle,
    nodes: Sequence[int],
    begin_s: int,
    breaks: tuple[tuple[int, ...], ...],
) -> _BreakChoice:
    """Return the times from `begin_s` with breaks on these legs, known to be feasible."""
    ways, starts = _walk_legs(compiled, crew, nodes, begin_s, breaks)
    return _BreakChoice(begin_s, breaks, starts, max(ways[-1].ready_s, crew.open_s))


def _walk_legs(
    compiled: CompiledProblem,
    crew: CompiledVehicle,
    nodes: Sequence[int],
    begin_s: int,
    breaks: tuple[tuple[int, ...], ...],
) -> tuple[tuple[RouteLeg, ...], tuple[int, ...]]:
    leave, last_place = begin_s + crew.loading_s, crew.vehicle.start
    ways: list[RouteLeg] = []
    starts: list[int] = []
    for node, numbers in zip((*nodes, None), breaks, strict=True):
        place = crew.vehicle.end if node is None else compiled.place[node]
        drive = crew.travel[last_place][place] if place is not None else 0
        way = get_drive_leg(leave, drive, [crew.breaks[n] for n in numbers])
        assert way is not None
        ways.append(way)
        if node is not None:
            starts.append(compiled.earliest_start_s(node, way.ready_s))
            leave, last_place = starts[-1] + compiled.service[node], compiled.place[node]
    return tuple(ways), tuple(starts)


def _latest_departure_timing(
    compiled: CompiledProblem,
    crew: CompiledVehicle,
    nodes: Sequence[int],
    pick: _BreakChoice,
    last_s: int,
    *,
    grace: bool,
) -> RouteSchedule:
    """Return the times with the same end and the latest start of work.

    No stop becomes late unless it already is or `grace` allows it.
    """
    bound, place = pick.end_s, crew.vehicle.end
    for k in range(len(nodes) - 1, -1, -1):
        node = nodes[k]
        last_place = compiled.place[node]
        leave = _latest_leave(
            crew, bound, crew.travel[last_place][place] if place is not None else 0, pick.breaks[k + 1]
        )
        until, early = leave - compiled.service[node], pick.starts_s[k]
        punctual = grace or compiled.late_s(node, early) == 0
        bound = max(early, compiled.latest(node, until, grace=grace) if punctual else early)
        place = last_place
    drive = crew.travel[crew.vehicle.start][place] if place is not None else 0
    begin = min(last_s, _latest_leave(crew, bound, drive, pick.breaks[0]) - crew.loading_s)
    ways, starts = _walk_legs(compiled, crew, nodes, begin, pick.breaks)
    late = sum(compiled.late_s(node, start) for node, start in zip(nodes, starts, strict=True))
    busy = (
        crew.loading_s
        + _driving_and_service_s(compiled, crew, nodes)
        + sum(end - start for way in ways for start, end in way.pauses)
    )
    return RouteSchedule(
        start_s=begin,
        end_s=pick.end_s,
        legs=ways,
        starts_s=starts,
        taken=pick.breaks,
        late_s=late,
        waits=pick.end_s - begin > busy,
    )


def _driving_and_service_s(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> int:
    """Return the total driving and service time."""
    stops = [crew.vehicle.start, *(compiled.place[node] for node in nodes)]
    drives = [crew.travel[a][b] for a, b in pairwise(stops)]
    back = 0 if crew.vehicle.end is None else crew.travel[stops[-1]][crew.vehicle.end]
    return sum(drives) + back + sum(compiled.service[node] for node in nodes)


def _latest_leave(crew: CompiledVehicle, ready_s: int, drive_s: int, numbers: Sequence[int]) -> int:
    """Return the latest departure of a leg that ends by `ready_s` with breaks in time."""
    before, bound = 0, INFINITE_S
    for number in numbers:
        _, latest, length = crew.breaks[number]
        bound = min(bound, latest - before)
        before += length
    return min(bound, ready_s - drive_s - before)
