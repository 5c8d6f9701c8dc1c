"""Imports and their rows."""

from sqlalchemy import BigInteger, Column

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import tenant_table
from haulier.kernel.row_imports import RowImport, RowImports, import_columns, row_columns

imports = tenant_table("place_import", *import_columns("place_import"), Column("zone_map_id", BigInteger))
plain_columns(imports, "kind", "encoding")
import_rows = tenant_table("place_import_row", *row_columns("place_import_row"))
# Places of business and areas on a map: nothing in them is about a person.
plain_columns(import_rows, "document", "state", "record", "fault")


class ImportHeader(RowImport):
    """An import."""

    zone_map_id: int | None


place_imports = RowImports(imports, import_rows, ImportHeader)
