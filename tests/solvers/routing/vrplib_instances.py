"""Public instances in VRPLIB format: capacity, time windows and several depots.

Distances are rounded as each set's best-known values want it: to whole numbers, to one decimal downward (DIMACS), to
three.
"""

import re

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
from haulier.solvers.routing.travel import Matrix, TravelMatrices

DISTANCE = RoutingObjective(cost=0, distance_m=1)
ALWAYS = TimeWindow(0, 10**9)
SCALES = {"CVRP": 1, "VRPTW": 10, "MDVRPTW": 1000}


def vrplib(name: str) -> RoutingProblem:
    """A problem by its path below `instances`, without suffix: `cvrp/X-n172-k51`."""
    words, tables = _read(shared(f"instances/{name}.vrp").read_text())
    scale = SCALES[words["TYPE"]]
    metres = _metres(np.array([row[1:] for row in tables["NODE_COORD"]]), words["TYPE"])
    windows = {
        int(row[0]): TimeWindow(int(row[1] * scale), int(row[2] * scale)) for row in tables.get("TIME_WINDOW", [])
    }
    service = {int(row[0]): int(row[1] * scale) for row in tables.get("SERVICE_TIME", [])}
    demands = {int(row[0]): int(row[1]) for row in tables["DEMAND"]}
    depots = [int(row[0]) for row in tables["DEPOT"] if row and row[0] > 0]
    same = int(float(words.get("SERVICE_TIME", 0)) * scale)
    jobs = [
        RoutingJob(id=n, demand=(amount,), delivery=_visit(n - 1, service.get(n, same), windows.get(n)))
        for n, amount in demands.items()
        if n not in depots
    ]
    return RoutingProblem(
        travel=TravelMatrices(metres, metres),
        vehicles=tuple(_fleet(words, tables, windows, depots, len(jobs), scale)),
        jobs=tuple(jobs),
        dimensions=("load",),
        objective=DISTANCE,
    )


def best_distance(name: str) -> float:
    """The best-known cost, in the unit of our distances."""
    found = re.search(r"^Cost:?\s+([0-9.]+)", shared(f"instances/{name}.sol").read_text(), re.MULTILINE)
    assert found is not None
    return float(found[1]) * (10 if name.startswith("vrptw") else 1)


def _read(text: str) -> tuple[dict[str, str], dict[str, list[list[float]]]]:
    """The keywords and the tables of a file."""
    words: dict[str, str] = {}
    tables: dict[str, list[list[float]]] = {}
    rows: list[list[float]] = []
    for line in map(str.strip, text.splitlines()):
        if line.endswith("_SECTION"):
            rows = tables.setdefault(line.removesuffix("_SECTION"), [])
        elif ":" in line:
            name, _, value = line.partition(":")
            words[name.strip()] = value.strip()
        elif line and line != "EOF":
            rows.append([float(cell) for cell in line.split()])
    return words, tables


def _metres(places: Matrix, kind: str) -> Matrix:
    away = np.hypot(*(places[:, None] - places[None, :]).transpose(2, 0, 1))
    if kind == "VRPTW":
        return np.floor(away * 10 + 1e-9).astype(np.int64)
    return np.floor(away * SCALES[kind] + 0.5).astype(np.int64)


def _visit(place: int, service_s: int, window: TimeWindow | None) -> VisitRequest:
    return VisitRequest(place=place, service_s=service_s, windows=(window,) if window else ())


def _fleet(
    words: dict[str, str],
    tables: dict[str, list[list[float]]],
    windows: dict[int, TimeWindow],
    depots: list[int],
    jobs: int,
    scale: int,
) -> list[RoutingVehicle]:
    """Return the number of vehicles of the file, or of jobs if it has none."""
    homes = {int(row[0]): int(row[1]) for row in tables.get("VEHICLES_DEPOT", [])}
    longest = words.get("VEHICLES_MAX_DURATION")
    return [
        RoutingVehicle(
            id=n,
            start=homes.get(n, depots[0]) - 1,
            end=homes.get(n, depots[0]) - 1,
            shift=windows.get(homes.get(n, depots[0]), ALWAYS),
            capacity=(int(words["CAPACITY"]),),
            max_time_s=int(float(longest) * scale) if longest else None,
        )
        for n in range(1, int(words.get("VEHICLES", jobs)) + 1)
    ]
