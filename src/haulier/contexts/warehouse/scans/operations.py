"""Operations on scans."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, save_upload
from haulier.contexts.orders.public import list_order_pieces, require_visible_orders
from haulier.contexts.routes.public import get_visible_route, list_stops_of_routes
from haulier.contexts.warehouse.packages.queries import find_packages
from haulier.contexts.warehouse.packages.rules import package_key
from haulier.contexts.warehouse.scans import store
from haulier.contexts.warehouse.scans.actions import apply_scans
from haulier.contexts.warehouse.scans.contract import (
    ArrivalsCancelled,
    ArrivalsExpected,
    CancelArrivals,
    DeviceScan,
    ExpectArrivals,
    ListMissingArrivals,
    ListScans,
    MissingArrival,
    MissingArrivalList,
    RecordScan,
    ScanAnswer,
    ScanList,
    ScanOutcome,
    ScansSettled,
    SyncScans,
)
from haulier.contexts.warehouse.scans.rules import differing_scan_fields
from haulier.contexts.warehouse.scans.serializers import malformed_scan, refused_scan, scan_record
from haulier.contexts.warehouse.scans.store import WarehouseScanRow
from haulier.contexts.warehouse.warehouses.queries import get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED, key_reused
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.values.device_times import DeviceClock
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@writes(
    "expect_arrivals",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", "/v1/wms/arrivals"), GraphQL("expectArrivals")),
    errors=(NOT_FOUND,),
)
async def expect_arrivals(call: Call, request: ExpectArrivals) -> ArrivalsExpected:
    """Announce packages that should arrive.

    By number, by order, or all packages of a route, for a warehouse and day.
    """
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
    interfaces=(Rest("POST", "/v1/wms/arrivals/cancel"), GraphQL("cancelArrivals")),
    errors=(NOT_FOUND,),
)
async def cancel_arrivals(call: Call, request: CancelArrivals) -> ArrivalsCancelled:
    """Cancel expected arrivals at a warehouse.

    Packages that have arrived stay recorded.
    """
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
    interfaces=(Rest("GET", "/v1/wms/arrivals/missing"), GraphQL("missingArrivals")),
)
async def list_missing_arrivals(call: Call, request: ListMissingArrivals) -> MissingArrivalList:
    """List expected packages that did not arrive.

    Ordered by day, with the warehouse where each was seen instead.
    """
    wanted = request.model_dump(include={"warehouse_id", "day", "route_id"}, exclude_none=True)
    until = request.day or call.today
    rows, total = await store.list_missing_rows(call.work, wanted, until, limit=request.per_page, offset=request.offset)
    seen = await find_packages(call, {row.number for row in rows})
    missing = [
        record(MissingArrival, row, seen_in_warehouse_id=seen[row.number].warehouse_id if row.number in seen else None)
        for row in rows
    ]
    return MissingArrivalList(total=total, page=request.page, per_page=request.per_page, missing=missing)


@writes(
    "record_scan",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", "/v1/wms/scans"), GraphQL("recordScan")),
    errors=(NOT_FOUND, CLIENT_KEY_REUSED),
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
)
async def record_scan(call: Call, request: RecordScan) -> ScanAnswer:
    """Record a scan.

    A repeat with the same `scan_id` and content returns the first outcome; other content is rejected.
    """
    rows, new = await apply_scans(call, request.device_id, [request], request.sent_at)
    row = rows[request.scan_id]
    if row.scan_id not in new and (differing := differing_scan_fields(request, row)):
        raise key_reused("scan_id", request.scan_id, differing)
    if request.photo is not None and row.scan_id in new:
        photo = request.photo
        about = f"warehouse_scan:{row.id}"
        file_id = await save_upload(call, photo, about=about)
        await WarehouseScanRow.update(call.work, row.id, {"file_id": file_id})
        row = (await store.find_scan_rows(call.work, request.device_id, [row.scan_id]))[row.scan_id]
    call.add_audit_subjects("warehouse_scan", row.id)
    return ScanAnswer(scan=scan_record(call, row, repeated=row.scan_id not in new))


@writes(
    "sync_scans",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", "/v1/wms/scans/batch"), GraphQL("syncScans")),
    errors=(NOT_FOUND,),
)
async def sync_scans(call: Call, request: SyncScans) -> ScansSettled:
    """Record scans that a device made offline.

    Up to 100 scans in any order. Each has its own result.
    """
    readable = [scan for scan in request.scans if isinstance(scan, DeviceScan)]
    rows, new = await apply_scans(call, request.device_id, readable, request.sent_at) if readable else ({}, set[str]())
    seen: set[str] = set()
    told = []
    for scan in request.scans:
        if isinstance(scan, DeviceScan):
            repeated = scan.scan_id not in new or scan.scan_id in seen
            seen.add(scan.scan_id)
            row = rows[scan.scan_id]
            if repeated and (differing := differing_scan_fields(scan, row)):
                told.append(refused_scan(call, request.device_id, scan, key_reused("scan_id", scan.scan_id, differing)))
            else:
                told.append(scan_record(call, row, repeated=repeated))
        else:
            told.append(malformed_scan(call, request.device_id, scan))
    call.add_audit_subjects("warehouse_scan", *(row.id for row in rows.values()))
    done = sum(each.outcome == ScanOutcome.DONE for each in told)
    return ScansSettled(
        done=done,
        refused=len(told) - done,
        repeated=sum(each.repeated for each in told),
        scans=told,
        clock_ahead_s=DeviceClock(received_at=call.now, sent_at=request.sent_at).ahead_s,
    )


@reads(
    "list_scans",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/scans"), GraphQL("warehouseScans")),
)
async def list_scans(call: Call, request: ListScans) -> ScanList:
    """List scans and their outcomes, newest first."""
    wanted = request.model_dump(include={"warehouse_id", "device_id", "kind", "outcome"}, exclude_none=True)
    before = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await store.list_scan_rows(call.work, wanted, before=before, limit=request.per_page + 1)
    page = rows[: request.per_page]
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.per_page else None
    return ScanList(scans=[scan_record(call, row) for row in page], next_cursor=next_cursor)
