"""Rows of transfers to answers."""

from collections import defaultdict
from collections.abc import Sequence

from haulier.contexts.warehouse.transfers import store
from haulier.contexts.warehouse.transfers.contract import (
    TransferAnswer,
    TransferPackageState,
    TransferredPackage,
    TransferStep,
    WarehouseTransfer,
)
from haulier.contexts.warehouse.transfers.queries import get_transfer_row
from haulier.contexts.warehouse.transfers.rules import TRANSFER_LIFE, TransferState
from haulier.contexts.warehouse.transfers.store import (
    StateCountRow,
    TransferPackageRow,
    WarehouseTransferRow,
    count_transfer_packages,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def load_transfer(call: Call, transfer_id: int) -> TransferAnswer:
    """Return a transfer with what was done with it. Raises `NOT_FOUND`."""
    row = await get_transfer_row(call, transfer_id)
    (transfer,) = await transfer_records(call, [row])
    steps = await store.list_step_rows(call.work, transfer_id)
    return TransferAnswer(
        transfer=transfer, steps=[record(TransferStep, step, at=call.local_time(step.at)) for step in steps]
    )


async def transfer_records(call: Call, rows: Sequence[WarehouseTransferRow]) -> list[WarehouseTransfer]:
    """Return transfers as callers see them; one statement for all."""
    counts: defaultdict[int, dict[str, StateCountRow]] = defaultdict(dict)
    for each in await count_transfer_packages(call.work, [row.id for row in rows]):
        counts[each.transfer_id][each.state] = each
    return [_transfer(call, row, counts[row.id]) for row in rows]


def _transfer(call: Call, row: WarehouseTransferRow, counts: dict[str, StateCountRow]) -> WarehouseTransfer:
    number = {state: counts[state].packages if state in counts else 0 for state in TransferPackageState}
    extra = number[TransferPackageState.EXTRA]
    return record(
        WarehouseTransfer,
        row,
        packages=sum(number.values()),
        out=number[TransferPackageState.OUT],
        arrived=number[TransferPackageState.IN] + extra,
        missing=number[TransferPackageState.MISSING],
        extra=extra,
        damaged=sum(int(each.damaged) for each in counts.values()),
        created_at=call.local_time(row.created_at),
        allowed_actions=list(TRANSFER_LIFE.actions(TransferState(row.status))),
    )


def transferred_package(call: Call, row: TransferPackageRow) -> TransferredPackage:
    """Return a package of a transfer as callers see it."""
    return record(
        TransferredPackage,
        row,
        scanned_out_at=call.local_time(row.scanned_out_at),
        scanned_in_at=call.local_time(row.scanned_in_at),
    )
