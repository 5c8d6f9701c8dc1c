"""Operations on the payment account."""

from secrets import token_urlsafe
from typing import Any

import msgspec

from haulier.contexts.payments.ports import (
    PaymentProviderDirectory,
    PaymentProviderKind,
    ProviderRefused,
    ProviderUnavailable,
)
from haulier.contexts.payments.provider_accounts import store
from haulier.contexts.payments.provider_accounts.contract import (
    PaymentAccount,
    PaymentAccountAnswer,
    PaymentAccountTest,
    PaymentProviderRecord,
    SetPaymentAccount,
)
from haulier.contexts.payments.provider_accounts.queries import open_provider_of
from haulier.contexts.payments.provider_accounts.rules import (
    ONLINE_PAYMENT_OFF,
    PAYMENT_SECRETS_NOT_KEPT,
    payment_secret_label,
    require_payment_credentials,
)
from haulier.contexts.payments.provider_accounts.store import PaymentAccountRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.secrets import SecretVault

PATH = "/v1/billing/payment-account"
EVENTS_PATH = "/v1/payment-events"


@reads(
    "get_payment_account",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("paymentAccount")),
)
async def get_payment_account(call: Call, request: EmptyRequest) -> PaymentAccountAnswer:
    """Retrieve the payment account.

    Customers' online payments go to this account. Also lists the supported providers.
    """
    return await _answer(call)


@writes(
    "set_payment_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", PATH), GraphQL("setPaymentAccount")),
    errors=(PAYMENT_SECRETS_NOT_KEPT,),
)
async def set_payment_account(call: Call, request: SetPaymentAccount) -> PaymentAccountAnswer:
    """Set up or disable the payment account.

    Credentials are stored encrypted. Verify them with `test_payment_account`. The provider must send its notices to the
    returned `events_path`.
    """
    kinds = {kind.code: kind for kind in call.adapter(PaymentProviderDirectory).kinds}
    if request.provider not in kinds:
        raise INVALID_REQUEST.for_fields(FieldError("provider", "field.payment_provider_unknown"))
    row = await store.get_account_row(call.work, lock=True)
    values: dict[str, Any] = {
        **request.model_dump(include={"provider", "test_mode", "active"}),
        **_sealed(call, kinds[request.provider], request, row),
        "updated_at": call.now,
    }
    if row is None:
        made = {"endpoint_key": token_urlsafe(24), "created_by": call.actor, "created_at": call.now}
        account_id = await PaymentAccountRow.insert(call.work, **{**values, **made})
    else:
        await PaymentAccountRow.update(call.work, account_id := row.id, values)
    call.add_audit_subjects("payment_account", account_id)
    return await _answer(call)


def _sealed(
    call: Call, kind: PaymentProviderKind, request: SetPaymentAccount, row: store.PaymentAccountRow | None
) -> dict[str, Any]:
    """Return the credentials as they are stored; empty if unchanged."""
    if request.credentials is None and row is not None and row.provider == kind.code:
        return {}
    plain = {name: value.get_secret_value() for name, value in (request.credentials or {}).items()}
    require_payment_credentials(kind, plain)
    vault = call.adapter(SecretVault)
    if not vault.available:
        raise PAYMENT_SECRETS_NOT_KEPT()
    label = payment_secret_label(call.client_id, kind.code)
    sealed = vault.seal(msgspec.json.encode(plain).decode(), label)
    return {"sealed_credentials": sealed, "credential_names": sorted(plain), "tested_at": None, "test_fault": None}


async def query_payment_provider(context: RequestContext, request: EmptyRequest) -> str | None:
    """Return the provider's objection to the credentials, or None if they are valid."""
    client_id = context.principal.client_id
    async with context.app.database.read(client_id) as work:
        if client_id is None or await store.get_account_row(work) is None:
            raise ONLINE_PAYMENT_OFF()
    try:
        await (await open_provider_of(context.app, client_id)).test_credentials()
    except (ProviderRefused, ProviderUnavailable) as fault:
        return str(fault)[: store.FAULT_MAX] or "refused"
    return None


@writes(
    "test_payment_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.BILLING_WRITE},
    interfaces=(Rest("POST", f"{PATH}/test"), GraphQL("testPaymentAccount")),
    limits=(RateLimit(30, 3600, ("user",)),),
    prepare=query_payment_provider,
    errors=(ONLINE_PAYMENT_OFF,),
)
async def test_payment_account(call: Call, request: EmptyRequest) -> PaymentAccountTest:
    """Test the credentials of the payment account.

    Free of charge.
    """
    row = await store.get_account_row(call.work, lock=True)
    if row is None:
        raise ONLINE_PAYMENT_OFF()
    fault: str | None = call.prepared
    await PaymentAccountRow.update(call.work, row.id, {"tested_at": call.now, "test_fault": fault})
    call.add_audit_subjects("payment_account", row.id)
    return PaymentAccountTest(accepted=fault is None, fault=fault)


async def _answer(call: Call) -> PaymentAccountAnswer:
    row = await store.get_account_row(call.work)
    shown = row and record(
        PaymentAccount,
        row,
        credentials_set=row.credential_names,
        events_path=f"/api{EVENTS_PATH}/{row.endpoint_key}",
        tested_at=call.local_time(row.tested_at),
    )
    kinds = call.adapter(PaymentProviderDirectory).kinds
    return PaymentAccountAnswer(
        payment_account=shown,
        providers=[
            PaymentProviderRecord(
                provider=kind.code, provider_name=kind.name, credentials_needed=list(kind.credentials)
            )
            for kind in kinds
        ],
    )
