"""Imports are worked off as the user who sent the file."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.warehouse.stock_imports.actions import (
    IMPORT_JOB,
    RunStockImport,
    find_product_row_keys,
    find_stock_row_keys,
    write_product_rows,
    write_stock_rows,
)
from haulier.contexts.warehouse.stock_imports.contract import StockImportKind
from haulier.contexts.warehouse.stock_imports.store import StockImportHeader, stock_imports
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.principal import Principal
from haulier.kernel.row_imports import RowOutcome, process_rows


@job(IMPORT_JOB, RunStockImport, queue="batches")
async def run_stock_import(run: JobRun, args: RunStockImport) -> None:
    """Import the rows of a file. A repeated run continues where it stopped.

    Sends no notification: `warehouse.stock_received` reports received stock.
    """
    await process_rows(run, stock_imports, args.import_id, _write_rows, find_keys=_find_keys)


async def _find_keys(call: Call, header: StockImportHeader, rows: Sequence[dict[str, Any]]) -> list[set[str]]:
    products = header.kind == StockImportKind.PRODUCTS
    return await find_product_row_keys(call, rows) if products else await find_stock_row_keys(call, rows)


async def _write_rows(call: Call, header: StockImportHeader, rows: Sequence[dict[str, Any]]) -> list[RowOutcome]:
    sender = replace(call, principal=await _sender(call, header))
    if header.kind == StockImportKind.PRODUCTS:
        return await write_product_rows(sender, rows)
    return await write_stock_rows(sender, header, rows)


async def _sender(call: Call, header: StockImportHeader) -> Principal:
    people = await get_users_by_id(call, [header.created_by]) if header.created_by else {}
    sender = people.get(header.created_by or 0)
    return Principal(
        Account(header.account),
        user_id=header.created_by,
        name=sender.name if sender else None,
        business=call.principal.business,
        scopes=call.principal.scopes,
    )
