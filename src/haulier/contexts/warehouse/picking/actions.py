"""What goes into a package: pieces that are named, or a carton of a packing plan."""

from collections import Counter

from haulier.contexts.warehouse.packing.queries import PlannedCarton, find_plan_of_reference, load_planned_cartons
from haulier.contexts.warehouse.picking.contract import PackStock
from haulier.contexts.warehouse.picking.errors import CARTON_PACKED, PACK_EXCEEDS_PICKED
from haulier.contexts.warehouse.picking.store import packages as store
from haulier.contexts.warehouse.products.queries import find_products_by_sku
from haulier.contexts.warehouse.stock.actions.lines import load_known_products
from haulier.contexts.warehouse.stock.errors import PIECES_NOT_TOLD_APART, UNKNOWN_SKU
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found

Pieces = Counter[tuple[int, str, str]]
"""How many pieces of which product, lot and serial number."""


async def choose_carton(call: Call, request: PackStock) -> tuple[int | None, PlannedCarton | None]:
    """The plan that is packed by, and its next carton or the one that is asked for; None where pieces are named alone.

    Raises `NOT_FOUND`, `PACKING_PLAN_STALE`, `CARTON_PACKED`, and `INVALID_REQUEST` where nothing says what to pack.
    """
    plan_id = request.packing_plan_id
    if plan_id is None and not request.lines:
        plan_id = await find_plan_of_reference(call, request.reference)
    if plan_id is None:
        if request.carton is not None or not request.lines:
            raise INVALID_REQUEST.for_fields(FieldError("lines", "field.nothing_to_pack"))
        return None, None
    cartons = await load_planned_cartons(call, plan_id)
    packed = await store.list_packed_cartons(call.work, plan_id)
    if request.carton is None:
        left = [carton for carton in cartons if carton.number not in packed]
        if not left:
            raise CARTON_PACKED(carton=len(cartons))
        return plan_id, left[0]
    if request.carton > len(cartons):
        raise record_not_found(carton=request.carton)
    if request.carton in packed:
        raise CARTON_PACKED(carton=request.carton)
    return plan_id, cartons[request.carton - 1]


async def pieces_to_pack(call: Call, request: PackStock, carton: PlannedCarton | None, free: Pieces) -> Pieces:
    """The pieces of a package, of those that are picked and in none yet.

    Raises `UNKNOWN_SKU`, `PACK_EXCEEDS_PICKED`, `INVALID_REQUEST` for pieces that are not those of the carton, and
    `PIECES_NOT_TOLD_APART` where the carton could have pieces of several lots or serial numbers.
    """
    if carton and not request.lines:
        return await _planned_pieces(call, carton, free)
    named: Counter[str] = Counter()
    for line in request.lines:
        named[line.sku] += line.quantity
    if carton and named != carton.pieces:
        raise INVALID_REQUEST.for_fields(FieldError("lines", "field.not_the_carton", {"carton": carton.number}))
    products = await load_known_products(call, [line.sku for line in request.lines])
    packed: Pieces = Counter()
    for line in request.lines:
        packed[products[line.sku].id, line.lot or "", line.serial or ""] += line.quantity
    skus = {product.id: sku for sku, product in products.items()}
    for what, pieces in packed.items():
        if pieces > free[what]:
            raise PACK_EXCEEDS_PICKED(sku=skus[what[0]], count=free[what])
    return packed


async def _planned_pieces(call: Call, carton: PlannedCarton, free: Pieces) -> Pieces:
    products = await find_products_by_sku(call, set(carton.pieces))
    if unknown := sorted(carton.pieces.keys() - products.keys()):
        fault = FieldError("packing_plan_id", "unknown_sku", {"sku": unknown[0]})
        raise UNKNOWN_SKU.for_fields(fault, sku=unknown[0])
    packed: Pieces = Counter()
    for sku, pieces in carton.pieces.items():
        fitting = {what: count for what, count in free.items() if what[0] == products[sku].id}
        if sum(fitting.values()) < pieces:
            raise PACK_EXCEEDS_PICKED(sku=sku, count=sum(fitting.values()))
        if len(fitting) > 1 and sum(fitting.values()) > pieces:
            raise PIECES_NOT_TOLD_APART.for_fields(FieldError("lines", "pieces_not_told_apart", {"sku": sku}), sku=sku)
        left = pieces
        for what, count in fitting.items():
            packed[what] = min(count, left)
            left -= packed[what]
    return packed
