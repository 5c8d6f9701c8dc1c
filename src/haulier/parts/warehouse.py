"""Warehouse: solvers, shortages, shelves of orders, and the insides of vehicles."""

from haulier.adapters.packing_solver import (
    ProcessLoadingSolver,
    ProcessPackingSolver,
    ProcessStockingSolver,
    search_gate,
)
from haulier.contexts.control_tower.ports import StockShortages
from haulier.contexts.orders.ports import PickedStock, ProductCatalogue, ReturnedStock, ShelvesOfOrders
from haulier.contexts.planning.ports import VehicleBodies
from haulier.contexts.warehouse.ports import LoadingSolver, PackingSolver, StockingSolver
from haulier.contexts.warehouse.public import (
    CatalogueOfProducts,
    InsidesOfVehicles,
    KnownReservePolicies,
    ShelvesOfStock,
    ShortagesOfStock,
    StockOfOrders,
    StockOfReturns,
)
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    gate = search_gate()
    return {
        PackingSolver: ProcessPackingSolver(gate),
        LoadingSolver: ProcessLoadingSolver(gate),
        StockingSolver: ProcessStockingSolver(),
        VehicleBodies: InsidesOfVehicles(),
        StockShortages: ShortagesOfStock(),
        ProductCatalogue: CatalogueOfProducts(),
        PickedStock: StockOfOrders(),
        ShelvesOfOrders: ShelvesOfStock(),
        ReturnedStock: StockOfReturns(),
    }


PART = Part(adapters=_adapters, memories=(KnownReservePolicies,))
