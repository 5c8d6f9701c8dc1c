"""Imports of files into the address book: requests and answers."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_uploads import TableUpload

MAX_FILE_BYTES = 15_000_000
MAX_FILE_TEXT = MAX_FILE_BYTES * 4 // 3 + 4
MAX_IMPORT_ROWS = 200_000
ImportState = Literal["created", "updated", "unchanged", "duplicate", "refused"]
ColumnName = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL)]
AddressField = Literal[
    "name",
    "company",
    "address",
    "unit",
    "city",
    "region",
    "postal_code",
    "country",
    "phone",
    "email",
    "lat",
    "lng",
    "access_notes",
    "gate_code",
    "reference",
]


class ImportAddresses(TableUpload):
    """A table of addresses."""

    file_field: ClassVar[str] = "document"

    document: Annotated[
        str,
        Field(
            min_length=4,
            max_length=MAX_FILE_TEXT,
            repr=False,
            exclude=True,
            examples=["bmFtZSxhZGRyZXNzLGNpdHksY291bnRyeQpBZGEsMTAwIFF1ZWVuIFN0IFcsVG9yb250byxDQQ=="],
            json_schema_extra={"contentEncoding": "base64"},
        ),
    ]
    """The file in base64, or a CSV as text: at most 15 MB and 200,000 rows below a header."""
    format: Literal["csv", "xlsx"] = "csv"
    """CSV in any common form, or XLSX, whose first sheet is read."""
    file_name: Annotated[str, Field(max_length=200, pattern=NO_NUL)] | None = Field(
        default=None, examples=["customers.csv"]
    )
    """What the file is called, to tell imports apart."""
    mapping: Annotated[dict[AddressField, ColumnName], Field(max_length=20, examples=[{"name": "Customer"}])] = {}
    """For each field the column that holds it. A column that is called like a field needs no mention."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """The country of rows that name none, ISO 3166-1 alpha-2."""
    check_only: bool = False
    """Say what would become of each row, and change nothing."""


class ImportRef(Request):
    """Which import."""

    import_id: RecordId


class GetAddressImport(PageRequest):
    """Which import, and which of its rows."""

    import_id: RecordId
    state: ImportState | None = None
    """Only rows that ended so."""


class ImportStarted(Answer):
    """Where to read the import."""

    result: bool = True
    import_id: Annotated[int, doc("Read it with GET /v1/address-imports/{import_id}.")]
    total: Annotated[int, doc("Rows in the file.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for XLSX.", "utf-8")] = None


class AddressImportFieldError(Answer):
    """One thing wrong with one field of a row."""

    field: Annotated[str, doc("The field.", "city")]
    code: Annotated[str, doc("What is wrong, for programs.", "MISSING")]
    message: Annotated[str, doc("What is wrong, in the caller's language.")]


class AddressImportOutcome(Answer):
    """What became of a row."""

    number: Annotated[int, doc("The row, from 1 below the header.")]
    state: Annotated[str, doc("created, updated, unchanged, duplicate or refused.", "created")]
    reference: str | None
    address_id: Annotated[int | None, doc("The address; of a duplicate, the one that is there already.")]
    errors: Annotated[list[AddressImportFieldError], doc("Why the row was refused.")] = []
    warnings: Annotated[
        list[AddressImportFieldError], doc("Repairs of the row to check, such as leading zeros of a postal code.")
    ] = []


class AddressImportResult(PagedAnswer):
    """How far an import is, and a page of its rows."""

    import_id: int
    file_name: str | None
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.", "done")]
    check_only: bool
    rows: Annotated[int, doc("Rows in the file.")]
    done: Annotated[int, doc("Rows that were processed.")]
    created: int
    updated: int
    unchanged: int
    duplicates: Annotated[int, doc("Rows whose address is in the book already, or earlier in the file.")]
    refused: int
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[AddressImportOutcome]
