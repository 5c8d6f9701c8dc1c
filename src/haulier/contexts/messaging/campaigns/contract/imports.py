"""Imports of contacts, in requests and answers."""

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
    """A table of contacts whose first row names the columns."""

    format: Literal["csv", "xlsx"] = "csv"
    """What the file is."""
    content: str = Field(
        min_length=1, max_length=15_000_000, repr=False, exclude=True, examples=["phone,name\n+14165550123,Ann\n"]
    )
    """The file as text or in base64; an XLSX in base64. Columns: phone, name, language, time_zone, tags (with commas between),
    source, and consent_purpose, consent_basis, consent_method, consent_wording, consent_source, consent_at; any other is a
    variable. It is not written into the audit trail, and has 50,000 rows at most."""
    consent: ConsentGiven | None = None
    """What every contact agreed to whose row says nothing of consent. Without either a contact gets no texts."""


class SmsImportRef(Request):
    """Which import."""

    sms_import_id: RecordId
    """The import's id."""


class GetSmsImport(SmsImportRef, PageRequest):
    """Which import, and which page of its outcomes."""

    state: ImportRowState | None = None
    """Only rows in this state."""


class ListSmsImports(PageRequest):
    """Which page of the imports."""


class SmsImportFieldError(Answer):
    """One thing wrong with one field of a row."""

    field: Annotated[str, doc("Which field.", "phone")]
    code: Annotated[str, doc("What is wrong, for programs.", "PHONE_NOT_INTERNATIONAL")]
    message: Annotated[str, doc("What is wrong, in the caller's language.")]


class SmsImportOutcome(Answer):
    """What became of one row."""

    number: Annotated[int, doc("The row's place in the file, from 1.")]
    phone: Annotated[str | None, doc("The number as the row has it.")]
    state: Annotated[str, doc("queued, created, updated, refused or cancelled.")]
    record: Annotated[str | None, doc("The id of the contact.")]
    code: Annotated[str | None, doc("Why it was refused, for programs.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Why it was refused, in the caller's language.")] = None
    errors: Annotated[list[SmsImportFieldError], doc("The fields at fault.")] = []


class SmsImportRecord(Answer):
    """An import and how far it is."""

    id: int
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    rows: Annotated[int, doc("Rows of the file.")]
    done: Annotated[int, doc("Rows that were tried.")]
    created: int
    updated: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


class SmsImportAnswer(Answer):
    """One import, just begun."""

    result: bool = True
    sms_import: SmsImportRecord


class SmsImportDetail(PagedAnswer):
    """An import, and a page of its outcomes."""

    sms_import: SmsImportRecord
    outcomes: list[SmsImportOutcome]


class SmsImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[SmsImportRecord]
