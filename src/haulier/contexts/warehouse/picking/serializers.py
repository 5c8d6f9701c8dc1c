"""Rows of picking to answers."""

from collections import defaultdict
from collections.abc import Sequence

from haulier.contexts.warehouse.picking import store
from haulier.contexts.warehouse.picking.contract import PackedLine, PickPackage, PickTask, PickWave
from haulier.contexts.warehouse.picking.store import PickPackageRow, PickTaskRow, PickWaveRow
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.warehouses.queries import get_location_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def wave_records(call: Call, rows: Sequence[PickWaveRow]) -> list[PickWave]:
    """Return waves as callers see them."""
    totals = await store.sum_waves(call.work, [row.id for row in rows])
    return [
        record(
            PickWave,
            row,
            open=totals[row.id].left > 0,
            tasks=totals[row.id].tasks,
            pieces=int(totals[row.id].pieces),
            picked=int(totals[row.id].picked),
            short=int(totals[row.id].short),
            created_at=call.local_time(row.created_at),
        )
        for row in rows
    ]


async def task_records(call: Call, rows: Sequence[PickTaskRow]) -> list[PickTask]:
    """Return tasks as callers see them."""
    products = await get_product_rows(call, {row.product_id for row in rows})
    locations = await get_location_rows(call, {row.location_id for row in rows})
    return [
        record(
            PickTask,
            row,
            location=locations[row.location_id].code,
            sku=products[row.product_id].sku,
            lot=row.lot or None,
            serial=row.serial or None,
        )
        for row in rows
    ]


async def package_records(call: Call, rows: Sequence[PickPackageRow]) -> list[PickPackage]:
    """Return packages as callers see them."""
    lines = await store.list_package_line_rows(call.work, [row.id for row in rows])
    products = await get_product_rows(call, {line.product_id for line in lines})
    shown: defaultdict[int, list[PackedLine]] = defaultdict(list)
    for line in lines:
        shown[line.package_id].append(
            record(
                PackedLine,
                line,
                sku=products[line.product_id].sku,
                lot=line.lot or None,
                serial=line.serial or None,
            )
        )
    return [
        record(
            PickPackage,
            row,
            created_at=call.local_time(row.created_at),
            shipped_at=row.shipped_at and call.local_time(row.shipped_at),
            lines=shown[row.id],
        )
        for row in rows
    ]
