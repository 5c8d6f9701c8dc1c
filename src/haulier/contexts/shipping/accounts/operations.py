"""Operations on accounts."""

import logging
from typing import Any

from haulier.contexts.shipping.accounts import store
from haulier.contexts.shipping.accounts.actions import seal_credentials, write_account
from haulier.contexts.shipping.accounts.contract import (
    CarrierAccountAnswer,
    CarrierAccountList,
    CarrierAccountRef,
    CarrierAccountTest,
    CarrierKindList,
    CarrierTariffAnswer,
    OpenCarrierAccount,
    SetCarrierTariff,
    UpdateCarrierAccount,
)
from haulier.contexts.shipping.accounts.queries import open_carrier
from haulier.contexts.shipping.accounts.rules import (
    CARRIER_ACCOUNT_NAME_TAKEN,
    CARRIER_SECRETS_NOT_KEPT,
    HOUSE,
    MAX_ACCOUNTS,
)
from haulier.contexts.shipping.accounts.serializers import carrier_account, carrier_kind, house_tariff, join_remarks
from haulier.contexts.shipping.ports import CarrierDirectory, CarrierRefused, CarrierUnavailable
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.request_context import RequestContext

log = logging.getLogger("haulier.shipping")

ACCOUNTS_PATH = "/v1/carrier-accounts"
ONE = f"{ACCOUNTS_PATH}/{{account_id}}"
FAULT_MAX = 300


@reads(
    "list_carrier_kinds",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", "/v1/carriers"), GraphQL("carrierKinds")),
)
async def list_carrier_kinds(call: Call, request: EmptyRequest) -> CarrierKindList:
    """List carriers that accounts can be opened with.

    Returns the credentials that each carrier requires.
    """
    return CarrierKindList(carriers=[carrier_kind(kind) for kind in call.adapter(CarrierDirectory).kinds])


@reads(
    "list_carrier_accounts",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", ACCOUNTS_PATH), GraphQL("carrierAccounts")),
)
async def list_carrier_accounts(call: Call, request: EmptyRequest) -> CarrierAccountList:
    """List carrier accounts by name."""
    return CarrierAccountList(accounts=[carrier_account(call, row) for row in await store.list_account_rows(call.work)])


@reads(
    "get_carrier_account",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", ONE), GraphQL("carrierAccount")),
    errors=(NOT_FOUND,),
)
async def get_carrier_account(call: Call, request: CarrierAccountRef) -> CarrierAccountAnswer:
    """Get a carrier account."""
    return CarrierAccountAnswer(account=carrier_account(call, await _account(call, request.account_id)))


@writes(
    "open_carrier_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.LABELS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", ACCOUNTS_PATH), GraphQL("openCarrierAccount")),
    errors=(CARRIER_SECRETS_NOT_KEPT, CARRIER_ACCOUNT_NAME_TAKEN),
)
async def open_carrier_account(call: Call, request: OpenCarrierAccount) -> CarrierAccountAnswer:
    """Open a carrier account.

    Credentials are stored encrypted. Use `test_carrier_account` to test them.
    """
    kinds = {kind.code: kind for kind in call.adapter(CarrierDirectory).kinds}
    if request.carrier not in kinds:
        raise INVALID_REQUEST.for_fields(FieldError("carrier", "field.carrier_unknown"))
    if await store.count_accounts(call.work) >= MAX_ACCOUNTS:
        raise INVALID_REQUEST.for_fields(FieldError("carrier", "field.too_many_accounts", {"most": MAX_ACCOUNTS}))
    values: dict[str, Any] = {
        **request.model_dump(exclude={"credentials", "default"}),
        **seal_credentials(call, kinds[request.carrier], request.credentials),
        "is_default": request.default,
        "active": True,
        "created_by": call.actor,
        "created_at": call.now,
    }
    account_id = await write_account(call, None, values)
    return CarrierAccountAnswer(account=carrier_account(call, await _account(call, account_id)))


@writes(
    "update_carrier_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.LABELS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", ONE), GraphQL("updateCarrierAccount")),
    errors=(NOT_FOUND, CARRIER_SECRETS_NOT_KEPT, CARRIER_ACCOUNT_NAME_TAKEN),
)
async def update_carrier_account(call: Call, request: UpdateCarrierAccount) -> CarrierAccountAnswer:
    """Update a carrier account.

    Changes its name, credentials, markup, or offered services.
    """
    row = await _account(call, request.account_id, lock=True)
    values = request.model_dump(exclude={"account_id", "credentials", "default"}, exclude_none=True)
    if request.default is not None:
        values["is_default"] = request.default
    if request.credentials is not None:
        kind = next((each for each in call.adapter(CarrierDirectory).kinds if each.code == row.carrier), None)
        if kind is None:
            raise INVALID_REQUEST.for_fields(FieldError("credentials", "field.carrier_unknown"))
        values |= {**seal_credentials(call, kind, request.credentials), "tested_at": None, "test_fault": None}
    await write_account(call, row.id, values)
    return CarrierAccountAnswer(account=carrier_account(call, await _account(call, row.id)))


async def verify_account(context: RequestContext, request: CarrierAccountRef) -> str | None:
    """Return the carrier's objection to the credentials, or None if they are valid."""
    business = context.principal.business
    async with context.app.database.read(context.principal.client_id) as work:
        row = await store.get_account_row(work, request.account_id)
    if row is None or business is None:
        raise record_not_found(account_id=request.account_id)
    try:
        await open_carrier(context.app, row, business.currency).test_credentials()
    except CarrierRefused as refused:
        return join_remarks(context.app, context.language, refused.messages)[:FAULT_MAX] or "refused"
    except CarrierUnavailable as outage:
        log.warning("carrier account %s was not reached: %s", row.id, outage)
        return context.app.catalogues.translate(context.language, "carrier.not_reached", account=row.name)[:FAULT_MAX]
    return None


@writes(
    "test_carrier_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.LABELS_WRITE},
    interfaces=(Rest("POST", f"{ONE}/test"), GraphQL("testCarrierAccount")),
    limits=(RateLimit(30, 3600, ("user",)),),
    prepare=verify_account,
    errors=(NOT_FOUND,),
)
async def test_carrier_account(call: Call, request: CarrierAccountRef) -> CarrierAccountTest:
    """Test the credentials of a carrier account.

    Free of charge.
    """
    row = await _account(call, request.account_id, lock=True)
    fault: str | None = call.prepared
    await store.update_account_row(call.work, row.id, {"tested_at": call.now, "test_fault": fault})
    call.add_audit_subjects("carrier_account", row.id)
    return CarrierAccountTest(accepted=fault is None, fault=fault)


async def _account(call: Call, account_id: int, *, lock: bool = False) -> store.CarrierAccountRow:
    row = await store.get_account_row(call.work, account_id, lock=lock)
    if row is None:
        raise record_not_found(account_id=account_id)
    return row


TARIFFS_PATH = "/v1/carrier-accounts/{account_id}/tariff"


@reads(
    "get_carrier_tariff",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", TARIFFS_PATH), GraphQL("carrierTariff")),
    errors=(NOT_FOUND,),
)
async def get_carrier_tariff(call: Call, request: CarrierAccountRef) -> CarrierTariffAnswer:
    """Get the tariff of the business's own carrier.

    Returns the initial tariff if none was set.
    """
    return CarrierTariffAnswer(tariff=house_tariff(await _house_account(call, request.account_id)))


@writes(
    "set_carrier_tariff",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", TARIFFS_PATH), GraphQL("setCarrierTariff")),
    errors=(NOT_FOUND,),
)
async def set_carrier_tariff(call: Call, request: SetCarrierTariff) -> CarrierTariffAnswer:
    """Replace the tariff of the business's own carrier.

    Quoted rates hold until they expire.
    """
    row = await _house_account(call, request.account_id, lock=True)
    await write_account(call, row.id, {"tariff": request.tariff.model_dump_json()})
    return CarrierTariffAnswer(tariff=house_tariff(await _house_account(call, row.id)))


async def _house_account(call: Call, account_id: int, *, lock: bool = False) -> store.CarrierAccountRow:
    row = await store.get_account_row(call.work, account_id, lock=lock)
    if row is None or row.carrier != HOUSE:
        raise record_not_found(account_id=account_id)
    return row
