"""Packages that should come are announced, and those that did not come are listed."""

from haulier.contexts.orders.public import list_order_pieces, require_visible_orders
from haulier.contexts.routes.public import get_visible_route, list_stops_of_routes
from haulier.contexts.warehouse.packages.queries import find_packages
from haulier.contexts.warehouse.packages.rules import package_key
from haulier.contexts.warehouse.scans.contract import (
    ArrivalsCancelled,
    ArrivalsExpected,
    CancelArrivals,
    ExpectArrivals,
    ListMissingArrivals,
    MissingArrival,
    MissingArrivalList,
)
from haulier.contexts.warehouse.scans.store import arrivals as store
from haulier.contexts.warehouse.warehouses.queries import get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record


@writes(
    "expect_arrivals",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", "/v1/wms/arrivals"), GraphQL("expectArrivals")),
    errors=(NOT_FOUND,),
)
async def expect_arrivals(call: Call, request: ExpectArrivals) -> ArrivalsExpected:
    """Say which packages should come to a warehouse on a day: by number, by order, or all that a route brings."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    if not (request.numbers or request.order_ids or request.route_id):
        raise INVALID_REQUEST.for_fields(FieldError("numbers", "field.missing"))
    order_ids = set(request.order_ids)
    if order_ids:
        await require_visible_orders(call, sorted(order_ids))
    if request.route_id is not None:
        await get_visible_route(call, request.route_id)
        order_ids |= {stop.order_id for stop in await list_stops_of_routes(call, [request.route_id])}
    orders = {piece.tracking_number: piece.order_id for piece in await list_order_pieces(call, order_ids)}
    numbers = {package_key(number) for number in request.numbers} | orders.keys()
    rows = [
        {
            "warehouse_id": warehouse.id,
            "day": request.day,
            "number": number,
            "order_id": orders.get(number),
            "route_id": request.route_id,
            "created_at": call.now,
        }
        for number in sorted(numbers)
    ]
    call.add_audit_subjects("warehouse", warehouse.id)
    return ArrivalsExpected(added=await store.insert_arrivals(call.work, rows))


@writes(
    "cancel_arrivals",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", "/v1/wms/arrivals/cancel"), GraphQL("cancelArrivals")),
    errors=(NOT_FOUND,),
)
async def cancel_arrivals(call: Call, request: CancelArrivals) -> ArrivalsCancelled:
    """Say which packages should not come to a warehouse on a day any more. What came stays written."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    if not (request.numbers or request.order_ids or request.route_id):
        raise INVALID_REQUEST.for_fields(FieldError("numbers", "field.missing"))
    cancelled = await store.delete_open_arrivals(
        call.work,
        warehouse.id,
        request.day,
        numbers={package_key(number) for number in request.numbers},
        order_ids=request.order_ids,
        route_id=request.route_id,
    )
    call.add_audit_subjects("warehouse", warehouse.id)
    return ArrivalsCancelled(cancelled=cancelled)


@reads(
    "list_missing_arrivals",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/arrivals/missing"), GraphQL("missingArrivals")),
)
async def list_missing_arrivals(call: Call, request: ListMissingArrivals) -> MissingArrivalList:
    """List packages that were expected and did not come, by day, and where they are instead."""
    wanted = request.model_dump(include={"warehouse_id", "day", "route_id"}, exclude_none=True)
    until = request.day or call.today
    rows, total = await store.list_missing_rows(call.work, wanted, until, limit=request.per_page, offset=request.offset)
    seen = await find_packages(call, {row.number for row in rows})
    missing = [
        record(MissingArrival, row, seen_in_warehouse_id=seen[row.number].warehouse_id if row.number in seen else None)
        for row in rows
    ]
    return MissingArrivalList(total=total, page=request.page, per_page=request.per_page, missing=missing)
