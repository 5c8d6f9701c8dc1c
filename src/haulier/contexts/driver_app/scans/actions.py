"""Scans: what a code is on a route, recorded with the result."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from haulier.contexts.driver_app.scans import store
from haulier.contexts.driver_app.scans.contract import ScanCode, ScanCodeResult
from haulier.contexts.driver_app.scans.rules import ScanResult, classify_scan, piece_named
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.orders.public import find_orders_by_reference, list_order_pieces
from haulier.contexts.routes.public import get_route_ids_by_order, get_visible_route, list_stops_of_routes
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

BELONGING_RESULTS = frozenset({ScanResult.MATCHED, ScanResult.ALREADY_SCANNED})


class ClassifiedScan(Struct, frozen=True):
    """Classification of a code on a route, with its order and package."""

    result: ScanResult
    order_id: int | None
    package_id: int | None


async def record_scan(call: Call, driver: DriverRow, request: ScanCode) -> ScanCodeResult:
    """Classify a scanned code and store the scan with any result.

    Raises `NOT_FOUND` for a route or stop.
    """
    route = await get_visible_route(call, request.route_id, lock=True)
    stops = await list_stops_of_routes(call, [route.id])
    stop = next((stop for stop in stops if stop.id == request.stop_id), None)
    if request.stop_id is not None and stop is None:
        raise record_not_found(stop_id=request.stop_id)
    order_ids = [order.id for order in await find_orders_by_reference(call, request.code)]
    here = [row for row in await store.list_matched_scans(call.work, [route.id]) if row.stop_id == request.stop_id]
    numbers = await _piece_numbers(call, order_ids)
    pieces = {order_id: piece_named(request.code, numbers[order_id]) for order_id in order_ids}
    result, order_id = classify_scan(
        order_ids,
        on_route={stop.order_id for stop in stops},
        on_others=await get_route_ids_by_order(call, order_ids),
        at_stop=stop.order_id if stop else None,
        scanned={(row.order_id, row.package_id) for row in here},
        pieces=pieces,
    )
    occurred_at = request.occurred_at or call.now
    earlier = (
        await store.find_same_scan(call.work, route.id, driver.id, request.code, occurred_at)
        if request.occurred_at
        else None
    )
    if earlier is not None:
        scan = ClassifiedScan(ScanResult(earlier.result), earlier.order_id, earlier.package_id)
    else:
        scan = ClassifiedScan(result, order_id, pieces.get(order_id or 0))
        await _store_scan(call, driver, request, scan, occurred_at)
    next_stop = next((stop.id for stop in stops if stop.order_id == scan.order_id and stop.status in OPEN), None)
    counted = {row.package_id for row in here if row.order_id == scan.order_id}
    if scan.result in BELONGING_RESULTS:
        counted.add(scan.package_id)
    return ScanCodeResult(
        result=scan.result in BELONGING_RESULTS,
        scan=scan.result,
        order_id=scan.order_id,
        stop_id=next_stop,
        package_id=scan.package_id,
        pieces_scanned=len(counted - {None}),
        pieces_total=len(numbers.get(scan.order_id or 0, {})),
        message=call.translate(f"scan_{scan.result.value}"),
    )


async def _store_scan(
    call: Call, driver: DriverRow, request: ScanCode, scan: ClassifiedScan, occurred_at: datetime
) -> None:
    await store.insert_scan(
        call.work,
        route_id=request.route_id,
        stop_id=request.stop_id,
        driver_id=driver.id,
        order_id=scan.order_id,
        package_id=scan.package_id,
        code=request.code,
        result=scan.result,
        occurred_at=occurred_at,
        recorded_at=call.now,
    )


async def _piece_numbers(call: Call, order_ids: Sequence[int]) -> dict[int, dict[int, str]]:
    """The numbers of the pieces of some orders, by order and piece."""
    numbers: dict[int, dict[int, str]] = {order_id: {} for order_id in order_ids}
    for piece in await list_order_pieces(call, order_ids):
        numbers[piece.order_id][piece.id] = piece.tracking_number
    return numbers
