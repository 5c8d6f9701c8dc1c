"""Counts with handheld scanners, recorded as lines of stock counts."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime

from msgspec import Struct

from haulier.contexts.warehouse.counts import store
from haulier.contexts.warehouse.counts.contract import StockCountState
from haulier.contexts.warehouse.counts.store import StockCountRow
from haulier.contexts.warehouse.stock.rules import LevelKey
from haulier.kernel.call import Call


class ScannedCount(Struct, frozen=True):
    """Items counted on a location at a time of the device's clock."""

    scan_id: int
    warehouse_id: int
    level: LevelKey
    quantity: int
    expires_on: date | None
    counted_at: datetime


async def count_scanned(call: Call, found: Sequence[ScannedCount]) -> None:
    """Record scanned counts; the latest count of each line wins.

    A count that waits for a decision is reopened. Statements grow with warehouses, not with counted lines.
    """
    if not found:
        return
    last = {each.level: each for each in sorted(found, key=lambda each: (each.counted_at, each.scan_id))}
    count_ids = await _counts_underway(call, list(last.values()))
    counts = sorted({*count_ids.values()})
    await store.reopen_counts(call.work, counts)
    await store.insert_lines_of_counts(
        call.work,
        [
            {
                **key._asdict(),
                "count_id": count_ids[key.location_id],
                "expires_on": last[key].expires_on,
                "expected": 0,
            }
            for key in sorted(last)
        ],
    )
    await store.record_scanned_lines(
        call.work,
        [
            {
                "key": key,
                "count": count_ids[key.location_id],
                "found": last[key].quantity,
                "at": last[key].counted_at,
                "scan": last[key].scan_id,
            }
            for key in sorted(last)
        ],
    )
    # Only scanned lines: all lines are refreshed when the count is finished and approved, and a count can be long.
    await store.refresh_expected(call.work, counts, [each.scan_id for each in last.values()])
    call.add_audit_subjects("stock_count", *counts)


async def _counts_underway(call: Call, found: Sequence[ScannedCount]) -> dict[int, int]:
    """Return open counts by location. Locations without one are added to a new count."""
    locations = {each.level.location_id: each.warehouse_id for each in found}
    underway = await store.find_counts_underway(call.work, locations)
    missing: defaultdict[int, list[int]] = defaultdict(list)
    for location, warehouse_id in locations.items():
        if location not in underway:
            missing[warehouse_id].append(location)
    for warehouse_id, of_warehouse in missing.items():
        await _begin_count(call, warehouse_id, of_warehouse)
    return await store.find_counts_underway(call.work, locations) if missing else underway


async def _begin_count(call: Call, warehouse_id: int, locations: Sequence[int]) -> None:
    id, elsewhere = await store.insert_count(
        call.work,
        locations,
        warehouse_id=warehouse_id,
        state=StockCountState.OPEN,
        blind=True,
        note=None,
        created_at=call.now,
        created_by=call.actor,
    )
    if elsewhere >= set(locations):  # another call began to count all of them meanwhile
        await StockCountRow.delete(call.work, id)
