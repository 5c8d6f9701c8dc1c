"""Imports and their rows."""

from sqlalchemy import Column, String

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import tenant_table
from haulier.kernel.row_imports import RowImport, RowImports, import_columns, row_columns

imports = tenant_table(
    "stock_import",
    *import_columns("stock_import"),
    Column("account", String(20), nullable=False),
    Column("reference", String(REFERENCE_MAX)),
)
plain_columns(imports, "kind", "account", "reference")
import_rows = tenant_table("stock_import_row", *row_columns("stock_import_row"))
plain_columns(import_rows, "document", "state", "record", "fault")


class StockImportHeader(RowImport):
    """An import."""

    account: str
    created_by: int | None
    reference: str | None


stock_imports = RowImports(imports, import_rows, StockImportHeader)
