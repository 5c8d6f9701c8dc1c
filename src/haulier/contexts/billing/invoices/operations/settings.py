"""Operations for invoicing settings and billing terms."""

from haulier.contexts.billing.invoices.actions.locks import lock_settings, lock_terms
from haulier.contexts.billing.invoices.contract import (
    BillingTerms,
    BillingTermsRef,
    InvoicingSettings,
    SetBillingTerms,
    SetInvoicingSettings,
)
from haulier.contexts.billing.invoices.queries.settings import load_settings, load_terms
from haulier.contexts.billing.invoices.rules.invoices import next_billing_day
from haulier.contexts.billing.invoices.store import invoices as invoice_store
from haulier.contexts.billing.invoices.store import settings as store
from haulier.contexts.identity.accounts.rules.users import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/billing/invoicing"
TERMS_PATH = "/v1/billing/customers/{customer_id}/terms"


@reads(
    "get_invoicing_settings",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    doors=(Rest("GET", PATH), GraphQL("invoicingSettings")),
)
async def get_invoicing_settings(call: Call, request: EmptyRequest) -> InvoicingSettings:
    """Get the invoicing settings.

    Includes numbering, tax, payment terms and reminders.
    """
    return await load_settings(call)


@writes(
    "set_invoicing_settings",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", PATH), GraphQL("setInvoicingSettings")),
)
async def set_invoicing_settings(call: Call, request: SetInvoicingSettings) -> InvoicingSettings:
    """Replace the invoicing settings.

    Issued invoices do not change, and numbering continues.
    """
    await lock_settings(call)
    await store.update_settings(call.work, {**request.model_dump(mode="json"), "updated_at": call.now})
    return await load_settings(call)


@reads(
    "get_billing_terms",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    doors=(Rest("GET", TERMS_PATH), GraphQL("billingTerms")),
)
async def get_billing_terms(call: Call, request: BillingTermsRef) -> BillingTerms:
    """Get a customer's billing terms."""
    return await load_terms(call, (await require_customer(call.work, request.customer_id)).id)


@writes(
    "set_billing_terms",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    doors=(Rest("PUT", TERMS_PATH), GraphQL("setBillingTerms")),
)
async def set_billing_terms(call: Call, request: SetBillingTerms) -> BillingTerms:
    """Replace a customer's billing terms.

    The terms define the invoice interval, payment term, recipient and email address.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    before = await lock_terms(call, customer_id)
    values = request.model_dump(mode="json", exclude={"customer_id"})
    values["currency"] = request.currency or call.business.currency
    if request.period is None:
        values["next_invoice_on"] = None
    elif before.period != request.period or before.next_invoice_on is None:
        values["next_invoice_on"] = next_billing_day(request.period, call.today)
    await store.update_terms(call.work, customer_id, {**values, "updated_at": call.now})
    await invoice_store.set_dunning_of_customer(call.work, customer_id, request.dunning)
    call.add_audit_subjects("user", customer_id)
    return await load_terms(call, customer_id)
