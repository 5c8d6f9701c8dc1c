"""Operations that list, show and open invoices."""

from base64 import b64encode
from urllib.parse import quote

from haulier.contexts.billing.invoices.contract import (
    InvoiceAnswer,
    InvoiceFile,
    InvoiceList,
    InvoiceRef,
    ListInvoices,
    ReadInvoiceFile,
)
from haulier.contexts.billing.invoices.queries.invoices import family_hidden_in_document, get_visible_invoice
from haulier.contexts.billing.invoices.serializers import invoice_detail, invoice_summary
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.tables import InvoiceRow
from haulier.contexts.billing.ledger.rules import NOBODY
from haulier.contexts.documents.files.rules.files import FILE_AWAY, FILE_DAMAGED
from haulier.contexts.documents.public import DOCUMENT_NOT_READY, get_issued_file
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/billing/invoices"
INVOICE_PATH = f"{PATH}/{{invoice_id}}"
READERS = OFFICE | {Account.CUSTOMER}
SCOPES = {Scope.ANALYTICS_READ}
PDF = "application/pdf"
AS_PDF = Representations(
    (Representation(PDF, "content"),), field="form", data_field="content", media_type_field="media_type"
)


@reads("list_invoices", audience=READERS, scopes=SCOPES, doors=(Rest("GET", PATH), GraphQL("invoices")))
async def list_invoices(call: Call, request: ListInvoices) -> InvoiceList:
    """List invoices and credit notes.

    Results are ordered newest first. Customers see their own.
    """
    wanted = request.model_dump(mode="json", include={"customer_id", "kind", "status", "number"}, exclude_none=True)
    if call.principal.account is Account.CUSTOMER:
        wanted["customer_id"] = call.actor or NOBODY
    rows, counted = await store.list_invoice_rows(
        call.work,
        wanted,
        overdue_on=call.today if request.overdue else None,
        limit=request.per_page,
        offset=request.offset,
    )
    return InvoiceList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        invoices=[invoice_summary(call, row) for row in rows],
    )


@reads(
    "get_invoice",
    audience=READERS,
    scopes=SCOPES,
    errors=(NOT_FOUND,),
    doors=(Rest("GET", INVOICE_PATH), GraphQL("invoice")),
)
async def get_invoice(call: Call, request: InvoiceRef) -> InvoiceAnswer:
    """Get an invoice or credit note.

    Includes its lines and reminders. Customers see their own.
    """
    return await invoice_answer(call, await get_visible_invoice(call, request.invoice_id))


@reads(
    "get_invoice_file",
    audience=READERS,
    scopes=SCOPES,
    errors=(NOT_FOUND, PRICE_HIDDEN, DOCUMENT_NOT_READY, FILE_AWAY, FILE_DAMAGED),
    doors=(Rest("GET", f"{INVOICE_PATH}/file", representations=AS_PDF), GraphQL("invoiceFile")),
)
async def get_invoice_file(call: Call, request: ReadInvoiceFile) -> InvoiceFile:
    """Get the signed PDF of an invoice.

    The file is returned in base64, or as raw bytes if the Accept header requests it. Callers who may not see all its
    prices must ask the business for the file.
    """
    row = await get_visible_invoice(call, request.invoice_id)
    if family := family_hidden_in_document(call.principal, row):
        raise PRICE_HIDDEN(family=family.value)
    file = await get_issued_file(call, row.document_id) if row.document_id is not None else None
    if file is None:
        raise DOCUMENT_NOT_READY(state="queued" if row.document_id else "failed")
    if request.form == "content":
        call.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{quote(row.number, safe='')}.pdf"
    return InvoiceFile(number=row.number, media_type=PDF, content=b64encode(file[1]).decode())


async def invoice_answer(call: Call, row: InvoiceRow) -> InvoiceAnswer:
    """Return an invoice with its lines and reminders."""
    lines = await store.list_line_rows(call.work, row.id)
    letters = await store.list_letter_rows(call.work, row.id)
    return InvoiceAnswer(invoice=invoice_detail(call, row, lines, letters))
