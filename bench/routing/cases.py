"""Families of public instances, measured as a sample or completely."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.solvers.routing.benchmark_instances import (
    DISTANCE,
    SCALE,
    VEHICLES_FIRST,
    best_known,
    best_vehicles,
    li_lim,
    solomon,
)
from tests.solvers.routing.vrplib_instances import best_distance, vrplib
from tests.support.shared import shared

from haulier.solvers.routing.problem import RoutingProblem


@dataclass(frozen=True, kw_only=True)
class InstanceFamily:
    """Instances of one kind and size.

    A `sample` is measured unless all are, up to `seconds`.
    """

    name: str
    folder: str
    sample: int
    load: Callable[[str], RoutingProblem]
    best: Callable[[str], float]
    vehicles: Callable[[str], int] | None = None
    """Minimum known number of vehicles, where it comes before distance."""
    seconds: int = 30
    customers: range = range(10**9)

    def names(self, *, full: bool) -> list[str]:
        """Return the instances, ordered by name.

        A sample takes even steps, beginning in the middle of the first one.
        """
        folder = shared(f"instances/{self.folder}")
        found = sorted({path.stem for path in folder.iterdir() if path.suffix in {".txt", ".vrp"}})
        found = [name for name in found if _customers(name) in self.customers]
        if full or self.sample >= len(found):
            return found
        return [found[(2 * k + 1) * len(found) // (2 * self.sample)] for k in range(self.sample)]


def _customers(name: str) -> int:
    """Return the number of customers in Uchoa's names (X-n172-k51).

    Other instances have one size.
    """
    size = name.split("-")[1] if name.startswith("X-n") else ""
    return int(size[1:]) if size else 1


def _solomon(folder: str) -> Callable[[str], RoutingProblem]:
    return lambda name: solomon(f"{folder}/{name}", DISTANCE)


def _vrplib(folder: str) -> Callable[[str], RoutingProblem]:
    return lambda name: vrplib(f"{folder}/{name}")


def _written(folder: str) -> Callable[[str], float]:
    return lambda name: best_distance(f"{folder}/{name}")


def _known(kind: str, ending: str = "") -> Callable[[str], float]:
    return lambda name: best_known(kind, name + ending) * SCALE


def _homberger(customers: int, sample: int) -> InstanceFamily:
    folder = f"homberger_{customers}"
    return InstanceFamily(
        name=f"Homberger {customers}",
        folder=f"vrptw/{folder}",
        sample=sample,
        load=_solomon(folder),
        best=_known("vrptw"),
    )


def _uchoa(name: str, customers: range, sample: int) -> InstanceFamily:
    return InstanceFamily(
        name=name, folder="cvrp", sample=sample, load=_vrplib("cvrp"), best=_written("cvrp"), customers=customers
    )


def _li_lim(customers: int, sample: int) -> InstanceFamily:
    folder = f"li_lim_{customers}"
    return InstanceFamily(
        name=f"Li & Lim {customers}",
        folder=f"pdptw/{folder}",
        sample=sample,
        load=lambda name: li_lim(f"{folder}/{name}", VEHICLES_FIRST),
        best=_known("pdptw"),
        vehicles=lambda name: best_vehicles("pdptw", name),
    )


SOLOMON = InstanceFamily(
    name="Solomon 100",
    folder="vrptw/solomon",
    sample=4,
    load=_solomon("solomon"),
    best=_known("vrptw", "_distance"),
)
HOMBERGER_1000 = InstanceFamily(
    name="Homberger 1000",
    folder="vrptw/homberger_1000",
    sample=2,
    seconds=60,
    load=_vrplib("vrptw/homberger_1000"),
    best=_written("vrptw/homberger_1000"),
)
INSTANCE_FAMILIES: Sequence[InstanceFamily] = (
    SOLOMON,
    _homberger(200, 0),
    _homberger(400, 2),
    HOMBERGER_1000,
    _uchoa("Uchoa X to 500", range(2, 501), 3),
    _uchoa("Uchoa X above 500", range(501, 2000), 0),
    _li_lim(100, 4),
    _li_lim(200, 0),
)


def instance_problem(family: str, name: str) -> RoutingProblem:
    """Return an instance by family and name, so that another process can load it."""
    (found,) = (each for each in INSTANCE_FAMILIES if each.name == family)
    return found.load(name)
