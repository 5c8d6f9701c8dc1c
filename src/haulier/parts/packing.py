"""Packing and loading: solvers, plans for pickers, and the insides of vehicles."""

from haulier.adapters.packing_solver import (
    ProcessLoadingSolver,
    ProcessPackingSolver,
    ProcessStockingSolver,
    search_gate,
)
from haulier.contexts.planning.ports import VehicleBodies
from haulier.contexts.warehouse.load_plans.queries import InsidesOfVehicles
from haulier.contexts.warehouse.packing.queries import PlansToPack
from haulier.contexts.warehouse.ports import LoadingSolver, PackingPlans, PackingSolver, StockingSolver
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    gate = search_gate()
    return {
        PackingSolver: ProcessPackingSolver(gate),
        LoadingSolver: ProcessLoadingSolver(gate),
        StockingSolver: ProcessStockingSolver(),
        PackingPlans: PlansToPack(),
        VehicleBodies: InsidesOfVehicles(),
    }


PART = Part(adapters=_adapters)
