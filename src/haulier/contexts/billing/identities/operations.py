"""Operations on billing identities."""

from typing import Any

from haulier.contexts.billing.identities import store
from haulier.contexts.billing.identities.contract import (
    BillingIdentityRecord,
    CustomerBillingIdentityRecord,
    CustomerIdentityRef,
    SetBillingIdentity,
    SetCustomerBillingIdentity,
)
from haulier.contexts.billing.identities.rules import IDENTITY_FIELDS, normalize_tax_number
from haulier.contexts.billing.identities.store import BillingIdentityRow
from haulier.contexts.billing.ledger.rules import NOBODY
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record

IDENTITY_PATH = "/v1/billing/identity"
CUSTOMER_PATH = "/v1/billing/customers/{customer_id}/identity"
READ, WRITE = {Scope.ANALYTICS_READ}, {Scope.BILLING_WRITE}


@reads(
    "get_billing_identity",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", IDENTITY_PATH), GraphQL("billingIdentity")),
)
async def get_billing_identity(call: Call, request: EmptyRequest) -> BillingIdentityRecord:
    """Get the legal identity of the business.

    Includes name, address, tax numbers and bank account.
    """
    return record(BillingIdentityRecord, await _identity(call, NOBODY))


@writes(
    "set_billing_identity",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", IDENTITY_PATH), GraphQL("setBillingIdentity")),
)
async def set_billing_identity(call: Call, request: SetBillingIdentity) -> BillingIdentityRecord:
    """Replace the legal identity of the business.

    Invoices state it from now on. Issued invoices do not change.
    """
    await _save(call, NOBODY, request.model_dump(mode="json"))
    return record(BillingIdentityRecord, await _identity(call, NOBODY))


@reads(
    "get_customer_billing_identity",
    audience=OFFICE,
    scopes=READ,
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    interfaces=(Rest("GET", CUSTOMER_PATH), GraphQL("customerBillingIdentity")),
)
async def get_customer_billing_identity(call: Call, request: CustomerIdentityRef) -> CustomerBillingIdentityRecord:
    """Get the legal identity of a customer."""
    customer_id = (await require_customer(call.work, request.customer_id)).id
    return record(CustomerBillingIdentityRecord, await _identity(call, customer_id), customer_id=customer_id)


@writes(
    "set_customer_billing_identity",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    interfaces=(Rest("PUT", CUSTOMER_PATH), GraphQL("setCustomerBillingIdentity")),
)
async def set_customer_billing_identity(
    call: Call, request: SetCustomerBillingIdentity
) -> CustomerBillingIdentityRecord:
    """Replace the legal identity of a customer.

    Invoices state it from now on. Issued invoices do not change.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    await _save(call, customer_id, request.model_dump(mode="json", exclude={"customer_id"}))
    call.add_audit_subjects("user", customer_id)
    return record(CustomerBillingIdentityRecord, await _identity(call, customer_id), customer_id=customer_id)


async def _save(call: Call, customer_id: int, values: dict[str, Any]) -> None:
    row = await store.lock_identity(call.work, customer_id, call.now)
    cleared: dict[str, Any] = dict.fromkeys(IDENTITY_FIELDS)
    if values["tax_number"]:
        values["tax_number"] = normalize_tax_number(values["tax_number"], values["country"])
    await BillingIdentityRow.update(call.work, row.id, {**cleared, **values, "updated_at": call.now})


async def _identity(call: Call, customer_id: int) -> Any:
    return store.identity_of(await store.get_identity_row(call.work, customer_id))
