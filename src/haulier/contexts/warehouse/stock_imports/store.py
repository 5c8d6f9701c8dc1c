"""Imports and their rows."""

from sqlalchemy import Column, String, UniqueConstraint, bindparam, select, update

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.row_imports import RowImport, RowImports, import_columns, row_columns

imports = tenant_table(
    "stock_import",
    *import_columns("stock_import"),
    Column("account", String(20), nullable=False),
    Column("reference", String(REFERENCE_MAX)),
    Column("once", String(REFERENCE_MAX)),
    Column("content_sha256", String(64)),
    UniqueConstraint("client_id", "once"),
)
"""`once` is the reference of a file of received stock until it is known that none of its rows was written."""
plain_columns(imports, "kind", "encoding", "account", "reference", "once", "content_sha256")
import_rows = tenant_table("stock_import_row", *row_columns("stock_import_row"))
plain_columns(import_rows, "document", "state", "record", "fault")


class StockImportHeader(RowImport):
    """An import."""

    account: str
    created_by: int | None
    reference: str | None
    content_sha256: str | None


stock_imports = RowImports(imports, import_rows, StockImportHeader)

_of_once = select(imports).where(imports.c.once == bindparam("reference")).with_for_update()
_free = update(imports).where(imports.c.id == bindparam("import")).values(once=None)


async def find_import_of_reference(work: UnitOfWork, reference: str) -> StockImportHeader | None:
    """Lock and return the import of received stock with a reference, or None."""
    return await work.first(_of_once, StockImportHeader, reference=reference)


async def free_reference(work: UnitOfWork, import_id: int) -> None:
    """Let another file have the reference of an import."""
    await work.run(_free, **{"import": import_id})
