"""Request models for electronic invoices."""

from typing import Literal

from haulier.contexts.billing.invoices.contract import InvoiceRef


class ReadElectronicInvoice(InvoiceRef):
    """Electronic invoice to read and its form."""

    form: Literal["record", "content"] = "record"
    """`record` returns the file in base64. The REST API also returns raw bytes for `Accept: application/xml`."""
