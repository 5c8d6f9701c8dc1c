"""Rows of scans to answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.warehouse.scans.contract import (
    DeviceScan,
    ScanFieldError,
    ScanOutcome,
    ScanRefusal,
    WarehouseScan,
)
from haulier.contexts.warehouse.scans.store import WarehouseScanRow
from haulier.kernel.call import Call
from haulier.kernel.operations.error_rendering import render_field_error
from haulier.kernel.operations.errors import FieldError, OperationError
from haulier.kernel.operations.records import record
from haulier.kernel.operations.rows import MalformedRow

_NOTHING: Mapping[str, Any] = dict.fromkeys(WarehouseScan.__struct_fields__)


def scan_record(call: Call, row: WarehouseScanRow, *, repeated: bool = False) -> WarehouseScan:
    """Return a scan as callers see it."""
    text = f"scan.{row.refusal}" if row.refusal else f"scan.{row.outcome}"
    return record(
        WarehouseScan,
        row,
        repeated=repeated,
        message=call.translate(text),
        occurred_at=call.local_time(row.occurred_at),
        device_at=call.local_time(row.device_at),
        clock_corrected=row.device_at is not None,
        recorded_at=call.local_time(row.recorded_at),
    )


def malformed_scan(call: Call, device_id: str, row: MalformedRow) -> WarehouseScan:
    """Return the result of a scan that cannot be read. It is not stored."""
    values: Mapping[str, Any] = row.values if isinstance(row.values, dict) else {}
    scan_id = values.get("scan_id")
    faults = _rendered(call, row.field_errors)
    told: dict[str, Any] = {
        "scan_id": scan_id if isinstance(scan_id, str) else None,
        "device_id": device_id,
        "outcome": ScanOutcome.REFUSED,
        "refusal": ScanRefusal.MALFORMED,
        "repeated": False,
        "clock_corrected": False,
        "message": " ".join(f"{fault['field']}: {fault['message']}" for fault in faults),
        "errors": [ScanFieldError(**fault) for fault in faults],
    }
    return WarehouseScan(**{**_NOTHING, **told})


def refused_scan(call: Call, device_id: str, scan: DeviceScan, error: OperationError) -> WarehouseScan:
    """Return the refusal of a scan whose id was used for another one.

    It is not stored.
    """
    told: dict[str, Any] = {
        "scan_id": scan.scan_id,
        "device_id": device_id,
        "outcome": ScanOutcome.REFUSED,
        "refusal": ScanRefusal.SCAN_ID_REUSED,
        "repeated": False,
        "clock_corrected": False,
        "message": call.translate(error.error_type.id, **error.params),
        "errors": [ScanFieldError(**fault) for fault in _rendered(call, error.field_errors)],
        "kind": scan.kind,
        "code": scan.code,
        "warehouse_id": scan.warehouse_id,
    }
    return WarehouseScan(**{**_NOTHING, **told})


def _rendered(call: Call, faults: Sequence[FieldError]) -> list[dict[str, Any]]:
    return [render_field_error(fault, call.app.catalogues, call.language) for fault in faults]
