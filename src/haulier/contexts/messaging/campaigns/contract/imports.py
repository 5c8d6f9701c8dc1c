"""Request and response models for contact imports."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.messaging.campaigns.contract.contacts import ConsentGiven
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_uploads import TableUpload

MAX_SMS_IMPORT_ROWS = 50_000


class ImportSmsContacts(TableUpload):
    """Table of contacts whose first row contains the column names."""

    format: Literal["csv", "xlsx"] = "csv"
    """What the file is."""
    content: str = Field(
        min_length=1, max_length=15_000_000, repr=False, exclude=True, examples=["phone,name\n+14165550123,Ann\n"]
    )
    """The file as text or in base64; an XLSX in base64. Columns: phone, name, language, time_zone, tags (with commas between),
    source, and consent_purpose, consent_basis, consent_method, consent_wording, consent_source, consent_at; any other is a
    variable. It is not written into the audit trail, and has 50,000 rows at most."""
    consent: ConsentGiven | None = None
    """Consent to record for rows without consent columns. Contacts without any consent get no messages."""
    check_only: bool = False
    """Check each row with the rules of the import, and write nothing."""


class SmsImportRef(Request):
    """Reference to an import."""

    sms_import_id: RecordId
    """ID of the import."""


class GetSmsImport(SmsImportRef, PageRequest):
    """Import, and a page of its outcomes."""

    state: ImportRowState | None = None
    """Filter by row state."""


class ListSmsImports(PageRequest):
    """Page of imports to list."""


class SmsImportFieldError(Answer):
    """Validation error of a field in a row."""

    field: Annotated[str, doc("Name of the field.", "phone")]
    code: Annotated[str, doc("Error code.", "PHONE_NOT_INTERNATIONAL")]
    message: Annotated[str, doc("Error message in the caller's language.")]


class SmsImportOutcome(Answer):
    """Outcome of a row."""

    number: Annotated[int, doc("Row number in the file, from 1.")]
    phone: Annotated[str | None, doc("Phone number as given in the row.")]
    state: Annotated[str, doc("State: queued, created, updated, refused or cancelled.")]
    record: Annotated[str | None, doc("ID of the contact; null where a check would create one.")]
    code: Annotated[str | None, doc("Error code of a refused row.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Error message of a refused row in the caller's language.")] = None
    errors: Annotated[list[SmsImportFieldError], doc("Validation errors by field.")] = []


class SmsImportRecord(Answer):
    """Import and its progress."""

    id: int
    check_only: Annotated[bool, doc("Rows were checked and nothing was written.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for XLSX.", "utf-8")]
    state: Annotated[str, doc("State: queued, running, done, partly_done, failed or cancelled.")]
    rows: Annotated[int, doc("Number of rows in the file.")]
    done: Annotated[int, doc("Number of processed rows.")]
    created: int
    updated: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


class SmsImportAnswer(Answer):
    """New import."""

    result: bool = True
    sms_import: SmsImportRecord


class SmsImportDetail(PagedAnswer):
    """Import, with a page of its outcomes."""

    sms_import: SmsImportRecord
    outcomes: list[SmsImportOutcome]


class SmsImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[SmsImportRecord]
