"""Public interface of warehouses."""

from collections.abc import Collection, Sequence

from haulier.contexts.orders.public import KnownProduct, OpenShortage, OrderShelf, ReturnedPieces
from haulier.contexts.warehouse.order_stock.actions import find_short_units, move_order_stock
from haulier.contexts.warehouse.order_stock.queries import KnownReservePolicies, get_first_shelves, has_picked_stock
from haulier.contexts.warehouse.products.queries import find_products_by_sku
from haulier.contexts.warehouse.shortages.queries import count_stock_shortages, list_open_shortages
from haulier.contexts.warehouse.stock.actions import load_locations, receive_pieces
from haulier.contexts.warehouse.stock.contract import Condition, MovementKind, ReceivedPieces
from haulier.contexts.warehouse.stock.errors import LOCATION_NOT_USABLE
from haulier.contexts.warehouse.warehouses.queries import get_warehouse_rows, list_open_warehouses
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

__all__ = [
    "LOCATION_NOT_USABLE",
    "CatalogueOfProducts",
    "KnownReservePolicies",
    "ShelvesOfStock",
    "ShortagesOfOrders",
    "ShortagesOfStock",
    "StockOfBackorders",
    "StockOfOrders",
    "StockOfReturns",
    "get_warehouse_rows",
    "list_open_warehouses",
    "load_locations",
]


class CatalogueOfProducts:
    """Implements the port `ProductCatalogue` of orders."""

    async def find_products(self, call: Call, skus: Collection[str]) -> dict[str, KnownProduct]:
        """Return the products with these SKUs. Archived ones are included."""
        found = await find_products_by_sku(call, skus)
        return {sku: record(KnownProduct, row) for sku, row in found.items()}


class StockOfOrders:
    """Implements the port `PickedStock` of orders."""

    async def is_picked(self, call: Call, tracking_number: str) -> bool:
        """Return True if stock was picked, packed or shipped for an order."""
        return await has_picked_stock(call, tracking_number)


class StockOfBackorders:
    """Implements the port `BackorderStock` of orders."""

    async def find_short(self, call: Call, order_id: int) -> dict[int, int]:
        """Return the units of an order that no warehouse has, by product."""
        return await find_short_units(call, order_id)

    async def move(self, call: Call, source_id: int, target_id: int) -> None:
        """Move reserved units that an order no longer needs to another order."""
        await move_order_stock(call, source_id, target_id)


class ShortagesOfOrders:
    """Implements the port `OrderShortages` of orders."""

    async def list_open(self, call: Call, order_ids: Collection[int]) -> list[OpenShortage]:
        """Return the open shortages of orders, oldest first."""
        return await list_open_shortages(call, order_ids)


class ShelvesOfStock:
    """Implements the port `ShelvesOfOrders` of shipping."""

    async def get_shelves(self, call: Call, order_ids: Collection[int]) -> dict[int, OrderShelf]:
        """Return the first shelf of the stock reserved for orders. One statement."""
        return await get_first_shelves(call, order_ids)


CONDITION_OF_GRADE = {"a_grade": Condition.GOOD, "b_grade": Condition.B_GRADE, "damaged": Condition.DAMAGED}


class StockOfReturns:
    """Implements the port `ReturnedStock` of orders."""

    async def put_back(self, call: Call, pieces: Sequence[ReturnedPieces], reference: str) -> None:
        """Put returned units into stock: all, or none."""
        lines = [
            ReceivedPieces(
                sku=each.sku,
                quantity=each.quantity,
                condition=CONDITION_OF_GRADE[each.grade],
                location_id=each.location_id,
                lot=each.lot,
                serial=each.serial,
                expires_on=each.expires_on,
            )
            for each in pieces
        ]
        await receive_pieces(call, lines, kind=MovementKind.RETURN, reference=reference)


class ShortagesOfStock:
    """Implements the port `StockShortages` of the control tower."""

    async def count(self, call: Call) -> int:
        """Count the products that are short."""
        return await count_stock_shortages(call)
