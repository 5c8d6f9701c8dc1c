"""Request lines and the locations they name."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.warehouse.products.contract import Tracking
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku
from haulier.contexts.warehouse.stock.contract import StockPieces
from haulier.contexts.warehouse.stock.errors import (
    LOCATION_ELSEWHERE,
    LOCATION_NOT_USABLE,
    PIECES_NOT_TOLD_APART,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.warehouses.queries import LocationRow, get_location_rows, get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError, record_not_found


def pieces_of(line: StockPieces, quantity: int | None = None) -> dict[str, Any]:
    """What a movement says of the pieces of a line, or of some of them."""
    return {
        "quantity": line.quantity if quantity is None else quantity,
        "lot": line.lot or "",
        "serial": line.serial or "",
        "condition": line.condition,
    }


async def load_products(call: Call, lines: Sequence[StockPieces], path: str = "lines.{at}.") -> dict[str, ProductRow]:
    """The products of lines, by SKU. Raises for those that nobody knows, and for lines that do not tell pieces apart.

    `path` is where a line's fields are in the request.
    """
    products = await load_known_products(call, [line.sku for line in lines], path)
    require_told_apart(lines, products, path)
    return products


def require_told_apart(
    lines: Sequence[StockPieces], products: Mapping[str, ProductRow], path: str = "lines.{at}."
) -> None:
    """Raises `PIECES_NOT_TOLD_APART` for a line that does not name its pieces as closely as their product asks for."""
    for at, line in enumerate(lines):
        if field := untold_field(products[line.sku].tracking, line):
            fault = FieldError(path.format(at=at) + field, "pieces_not_told_apart", {"sku": line.sku})
            raise PIECES_NOT_TOLD_APART.for_fields(fault, sku=line.sku)


async def load_known_products(call: Call, skus: Sequence[str], path: str = "lines.{at}.") -> dict[str, ProductRow]:
    """The products of lines, by SKU. Raises `UNKNOWN_SKU` that names the lines whose product nobody knows."""
    products = await find_products_by_sku(call, set(skus))
    if unknown := [at for at, sku in enumerate(skus) if sku not in products]:
        faults = (FieldError(f"{path.format(at=at)}sku", "unknown_sku", {"sku": skus[at]}) for at in unknown)
        raise UNKNOWN_SKU.for_fields(*faults, sku=skus[unknown[0]])
    return products


def untold_field(tracking: Tracking, pieces: StockPieces) -> str | None:
    """The field that a line lacks, or should not have, by how its product's pieces are told apart."""
    if (pieces.serial is None) == (tracking == Tracking.SERIAL):
        return "serial"
    if pieces.serial is not None and pieces.quantity != 1:
        return "quantity"
    if pieces.lot is None and tracking == Tracking.LOT:
        return "lot"
    return "lot" if pieces.lot is not None and tracking == Tracking.NONE else None


async def load_locations(call: Call, ids: Collection[int], *, filled: Collection[int] = ()) -> dict[int, LocationRow]:
    """Locations by id. Raises `NOT_FOUND`, and `LOCATION_NOT_USABLE` for those of `filled` that take nothing new."""
    locations = await get_location_rows(call, ids)
    for id in sorted(set(ids) - locations.keys()):
        raise record_not_found(location_id=id)
    into = Counter(locations[id].warehouse_id for id in filled)
    closed = {row.id for row in (await get_warehouse_rows(call, into)).values() if row.closed}
    for id in filled:
        if locations[id].blocked or locations[id].warehouse_id in closed:
            raise LOCATION_NOT_USABLE(location=locations[id].code)
    return locations


async def require_within(call: Call, warehouse_id: int, location_ids: Collection[int]) -> None:
    """Raises `LOCATION_ELSEWHERE` for a location of another warehouse."""
    for row in (await get_location_rows(call, location_ids)).values():
        if row.warehouse_id != warehouse_id:
            raise LOCATION_ELSEWHERE(location=row.code)
