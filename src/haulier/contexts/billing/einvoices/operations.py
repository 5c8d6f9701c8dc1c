"""Operations on electronic invoices."""

from base64 import b64encode
from urllib.parse import quote

from haulier.contexts.billing.einvoices.contract import ReadElectronicInvoice
from haulier.contexts.billing.einvoices.queries import load_einvoice
from haulier.contexts.billing.einvoices.rules import EINVOICE_INCOMPLETE
from haulier.contexts.billing.einvoices.serializers import to_ubl
from haulier.contexts.billing.invoices.contract import InvoiceFile
from haulier.contexts.billing.invoices.queries import family_hidden_in_document, get_visible_invoice
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN

XML = "application/xml"
AS_XML = Representations(
    (Representation(XML, "content"),), field="form", data_field="content", media_type_field="media_type"
)


@reads(
    "get_invoice_ubl",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ANALYTICS_READ},
    errors=(NOT_FOUND, PRICE_HIDDEN, EINVOICE_INCOMPLETE),
    interfaces=(
        Rest("GET", "/v1/billing/invoices/{invoice_id}/ubl", representations=AS_XML),
        GraphQL("invoiceUbl"),
    ),
)
async def get_invoice_ubl(call: Call, request: ReadElectronicInvoice) -> InvoiceFile:
    """Get an electronic invoice (UBL 2.1).

    The document of an invoice or credit note follows Peppol BIS Billing 3.0 (EN 16931). An invoice without a required
    datum is refused with the list of missing data.
    """
    row = await get_visible_invoice(call, request.invoice_id)
    if family := family_hidden_in_document(call.principal, row):
        raise PRICE_HIDDEN(family=family.value)
    document = to_ubl(await load_einvoice(call, row))
    if request.form == "content":
        call.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(row.number, safe='')}.xml"
    return InvoiceFile(number=row.number, media_type=XML, content=b64encode(document).decode())
