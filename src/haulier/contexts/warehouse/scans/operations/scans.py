"""Scans are recorded, one by one or as a device kept them, and listed."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, save_upload
from haulier.contexts.warehouse.scans.actions.settlement import settle_scans
from haulier.contexts.warehouse.scans.contract import (
    DeviceScan,
    ListScans,
    RecordScan,
    ScanAnswer,
    ScanList,
    ScanOutcome,
    ScansSettled,
    SyncScans,
)
from haulier.contexts.warehouse.scans.rules.repeats import differing_scan_fields
from haulier.contexts.warehouse.scans.serializers import malformed_scan, refused_scan, scan_record
from haulier.contexts.warehouse.scans.store import scans as store
from haulier.contexts.warehouse.scans.store.tables import WarehouseScanRow
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED, key_reused
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.device_times import DeviceClock
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@writes(
    "record_scan",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", "/v1/wms/scans"), GraphQL("recordScan")),
    errors=(NOT_FOUND, CLIENT_KEY_REUSED),
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
)
async def record_scan(call: Call, request: RecordScan) -> ScanAnswer:
    """Record a scan. A repeat with the same `scan_id` and content returns the first outcome; other content is refused."""
    rows, new = await settle_scans(call, request.device_id, [request], request.sent_at)
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
    doors=(Rest("POST", "/v1/wms/scans/batch"), GraphQL("syncScans")),
    errors=(NOT_FOUND,),
)
async def sync_scans(call: Call, request: SyncScans) -> ScansSettled:
    """Record what a device scanned while it was offline, up to 100 scans in any order; each is answered by itself."""
    readable = [scan for scan in request.scans if isinstance(scan, DeviceScan)]
    rows, new = await settle_scans(call, request.device_id, readable, request.sent_at) if readable else ({}, set[str]())
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
    doors=(Rest("GET", "/v1/wms/scans"), GraphQL("warehouseScans")),
)
async def list_scans(call: Call, request: ListScans) -> ScanList:
    """List what was scanned and what came of it, the newest first."""
    wanted = request.model_dump(include={"warehouse_id", "device_id", "kind", "outcome"}, exclude_none=True)
    before = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await store.list_scan_rows(call.work, wanted, before=before, limit=request.per_page + 1)
    page = rows[: request.per_page]
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.per_page else None
    return ScanList(scans=[scan_record(call, row) for row in page], next_cursor=next_cursor)
