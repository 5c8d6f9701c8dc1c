"""Imports of contacts and their rows."""

from typing import Any

from haulier.contexts.messaging.campaigns.store.tables import import_rows, imports
from haulier.kernel.row_imports import RowImport, RowImports


class SmsImportHeader(RowImport):
    """An import; `consent` is what is said of every row that says nothing itself."""

    consent: dict[str, Any] | None
    created_by: int | None


contact_imports = RowImports(imports, import_rows, SmsImportHeader)
