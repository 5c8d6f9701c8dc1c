"""Warehouse: products, stock and shelves of orders, and shortages."""

from haulier.contexts.control_tower.ports import StockShortages
from haulier.contexts.orders.ports import (
    BackorderStock,
    OrderShortages,
    PickedStock,
    ProductCatalogue,
    ReturnedStock,
    ShelvesOfOrders,
)
from haulier.contexts.warehouse.public import (
    CatalogueOfProducts,
    KnownReservePolicies,
    ShelvesOfStock,
    ShortagesOfOrders,
    ShortagesOfStock,
    StockOfBackorders,
    StockOfOrders,
    StockOfReturns,
)
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    return {
        StockShortages: ShortagesOfStock(),
        ProductCatalogue: CatalogueOfProducts(),
        PickedStock: StockOfOrders(),
        BackorderStock: StockOfBackorders(),
        OrderShortages: ShortagesOfOrders(),
        ShelvesOfOrders: ShelvesOfStock(),
        ReturnedStock: StockOfReturns(),
    }


PART = Part(adapters=_adapters, memories=(KnownReservePolicies,))
