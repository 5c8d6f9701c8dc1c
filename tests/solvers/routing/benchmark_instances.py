"""Public instances as problems: Solomon, Gehring and Homberger, Li and Lim.

Distances are Euclidean; times and distances are in thousandths of the instance's unit, so that whole numbers lose
nothing.
"""

import json

import numpy as np
from tests.support.shared import shared

from haulier.solvers.routing.problem import (
    RoutingJob,
    RoutingObjective,
    RoutingProblem,
    RoutingVehicle,
    TimeWindow,
    VisitRequest,
)
from haulier.solvers.routing.travel import TravelMatrices

SCALE = 1000
VEHICLES_FIRST = RoutingObjective(cost=0, distance_m=1, vehicles=1_000_000 * SCALE)
DISTANCE = RoutingObjective(cost=0, distance_m=1)


def solomon(name: str, objective: RoutingObjective = DISTANCE) -> RoutingProblem:
    """Return a problem in Solomon's format by its path below `vrptw`: `solomon/R101`."""
    lines = (
        shared(f"vrptw/{name}.txt" if name.startswith("/") else f"instances/vrptw/{name}.txt").read_text().split("\n")
    )
    fleet = next(line.split() for line in lines[3:] if len(line.split()) == 2 and line.split()[0].isdigit())
    rows = [[int(cell) for cell in line.split()] for line in lines if len(line.split()) == 7]
    rows = [row for row in rows if row]
    jobs = [
        RoutingJob(id=row[0], delivery=_visit(row[0], row[4], row[5], row[6]), demand=(row[3],))
        for row in rows
        if row[0] != 0
    ]
    return _problem(rows, jobs, int(fleet[0]), int(fleet[1]), objective)


def li_lim(name: str, objective: RoutingObjective = DISTANCE) -> RoutingProblem:
    """A problem in Li and Lim's form: `li_lim_100/lc101`."""
    lines = shared(f"instances/pdptw/{name}.txt").read_text().split("\n")
    count, capacity, _ = (int(float(cell)) for cell in lines[0].split())
    rows = [[int(float(cell)) for cell in line.split()] for line in lines[1:] if line.split()]
    visits = {row[0]: _visit(row[0], row[4], row[5], row[6]) for row in rows}
    jobs = [
        RoutingJob(id=row[0], pickup=visits[row[0]], delivery=visits[row[8]], demand=(row[3],))
        for row in rows
        if row[3] > 0
    ]
    return _problem(rows, jobs, count, capacity, objective)


def best_known(kind: str, name: str) -> float:
    """The best-known value of the file: `vrptw`, `R101_distance`."""
    known = json.loads(shared(f"instances/{kind}/BKS.json").read_text())
    return float(known[name]["best_known_cost"])


def best_vehicles(kind: str, name: str) -> int:
    """Return the number of vehicles of the best known solution, where it comes first."""
    known = json.loads(shared(f"instances/{kind}/BKS.json").read_text())
    return int(known[name]["solved_with_vehicles"])


def _visit(place: int, opens: int, closes: int, service: int) -> VisitRequest:
    return VisitRequest(place=place, service_s=service * SCALE, windows=(TimeWindow(opens * SCALE, closes * SCALE),))


def _problem(
    rows: list[list[int]], jobs: list[RoutingJob], count: int, capacity: int, objective: RoutingObjective
) -> RoutingProblem:
    places = np.array([row[1:3] for row in rows], dtype=float)
    away = np.hypot(*(places[:, None] - places[None, :]).transpose(2, 0, 1))
    metres = np.rint(away * SCALE).astype(np.int64)
    shift = TimeWindow(rows[0][4] * SCALE, rows[0][5] * SCALE)
    vehicles = [RoutingVehicle(id=n, start=0, end=0, shift=shift, capacity=(capacity,)) for n in range(1, count + 1)]
    return RoutingProblem(
        travel=TravelMatrices(metres, metres),
        vehicles=tuple(vehicles),
        jobs=tuple(jobs),
        dimensions=("load",),
        objective=objective,
    )
