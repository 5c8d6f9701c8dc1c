"""Decide if a scan repeats one that is stored."""

from datetime import date, datetime
from typing import Any, Protocol

from haulier.contexts.warehouse.scans.contract import DeviceScan
from haulier.kernel.operations.client_keys import list_differing_fields


class StoredScan(Protocol):
    """A stored scan, as far as repeats are compared with it."""

    @property
    def kind(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def warehouse_id(self) -> int: ...
    @property
    def route_id(self) -> int | None: ...
    @property
    def reference(self) -> str | None: ...
    @property
    def note(self) -> str | None: ...
    @property
    def quantity(self) -> int | None: ...
    @property
    def lot(self) -> str | None: ...
    @property
    def serial(self) -> str | None: ...
    @property
    def expires_on(self) -> date | None: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def device_at(self) -> datetime | None: ...


def differing_scan_fields(scan: DeviceScan, stored: StoredScan) -> list[str]:
    """Return the fields in which a scan differs from the one stored under its id.

    Pieces are compared where the scan names them: what a barcode says depends on master data, which may change meanwhile.
    """
    sent: dict[str, Any] = {
        **{name: getattr(scan, name) for name in ("kind", "code", "warehouse_id", "route_id", "reference", "note")},
        "occurred_at": scan.occurred_at,
    }
    named = ("quantity", "lot", "serial", "expires_on")
    sent |= {
        name: value
        for name in named
        if (value := getattr(scan, name)) is not None and getattr(stored, name) is not None
    }
    known = {name: getattr(stored, name) for name in sent}
    return list_differing_fields(sent, known | {"occurred_at": stored.device_at or stored.occurred_at})
