"""Facts of the reasons for unassigned orders, in the names and units of the API."""

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import asdict

from haulier.contexts.planning.builds.rules.planning_input import TransportRequest, VehicleShift
from haulier.solvers.routing.reason_facts import (
    OutsideShiftFacts,
    PoolFacts,
    ReasonFacts,
    UnassignedReason,
    UnreachableFacts,
    WindowFacts,
)
from haulier.solvers.routing.travel_estimate import estimate_travel

FactValues = dict[str, int | str]
TIME_FACTS = frozenset({"window_start", "window_end", "shift_start", "shift_end", "earliest_end", "earliest_arrival"})
"""Facts that are moments: seconds since the epoch in a stored plan, local times in an answer."""
TIME_REASONS = frozenset({UnassignedReason.SHIFT, UnassignedReason.WINDOW, UnassignedReason.TOO_FAR})
"""Reasons of a search for an order that nobody can serve in time; the calendar may know a better one."""


class NoPlaceFacts(Struct, frozen=True):
    """The address has no coordinates."""

    reason: ClassVar[UnassignedReason] = UnassignedReason.UNREACHABLE


class WindowDayFacts(Struct, frozen=True):
    """The window leaves the order out of the day: `window_over` or `other_day`."""

    reason: UnassignedReason


PlannerFacts = ReasonFacts | NoPlaceFacts | WindowDayFacts


def choose_facts(request: TransportRequest, facts: PlannerFacts) -> PlannerFacts:
    """Return the facts that the calendar knows better than the search, else those of the search."""
    if facts.reason in TIME_REASONS and request.window_reason:
        return WindowDayFacts(reason=UnassignedReason(request.window_reason))
    return facts


def build_fact_values(request: TransportRequest, facts: PlannerFacts, shifts: Sequence[VehicleShift]) -> FactValues:
    """The facts by the names of the API. Windows are those of the order: the solver closes their open ends."""
    if isinstance(facts, NoPlaceFacts):
        return {"place": "unknown"}
    if isinstance(facts, WindowDayFacts):
        return _window_values(request)
    values = _search_values(facts)
    if isinstance(facts, OutsideShiftFacts | WindowFacts):
        window = _window_values(request)
        return {**{name: fact for name, fact in values.items() if not name.startswith("window_")}, **window}
    if isinstance(facts, PoolFacts) and request.no_driver_reason:
        return {"why": request.no_driver_reason, **values}
    if isinstance(facts, UnreachableFacts):
        return {**values, **_estimated_drive(request, facts.vehicle, shifts)}
    return values


def _search_values(facts: ReasonFacts) -> FactValues:
    """The facts of the solver, whose vehicles are drivers."""
    values: FactValues = {}
    for name, fact in asdict(facts).items():
        moment = name.removesuffix("_s")
        values[moment if moment in TIME_FACTS else name] = fact
    if "vehicle" in values:
        values["driver_id"] = values["vehicle"]
        if facts.reason is not UnassignedReason.LIMITS:
            del values["vehicle"]
    return values


def _window_values(request: TransportRequest) -> FactValues:
    ends = zip(("window_start", "window_end"), request.window, strict=True)
    return {name: end for name, end in ends if end is not None}


def _estimated_drive(request: TransportRequest, driver_id: int, shifts: Sequence[VehicleShift]) -> FactValues:
    """Distance and drive time as the estimate without a road map has them, where the road map has no way."""
    start = next(shift.start for shift in shifts if shift.driver_id == driver_id)
    places = [place for place in (request.pickup, request.stop) if place is not None]
    travel = estimate_travel([start, *places])
    far = max(range(1, len(places) + 1), key=lambda place: int(travel.duration_s[0, place]))
    return {"distance_m": int(travel.distance_m[0, far]), "drive_s": int(travel.duration_s[0, far])}
