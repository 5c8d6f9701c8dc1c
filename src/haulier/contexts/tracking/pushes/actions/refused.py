"""Rows of refused events."""

from datetime import datetime
from typing import Any

from haulier.contexts.tracking.events import RefusedScan


def refused_row(
    provider_id: int, push_id: str, pushed_at: datetime, refused_at: datetime, scan: RefusedScan
) -> dict[str, Any]:
    """Return the row of a refused event of a carrier's webhook."""
    return {
        "provider_id": provider_id,
        "push_id": push_id,
        "path": scan.path,
        "pushed_at": pushed_at,
        "refused_at": refused_at,
        "tracking_number": scan.tracking_number,
        "reference": scan.reference,
        "status_code": scan.status_code,
        "occurred_at": scan.occurred_at or pushed_at,
        "reasons": list(scan.reasons),
    }
