"""Writing carrier accounts."""

from collections.abc import Mapping
from typing import Any

import msgspec
from pydantic import SecretStr

from haulier.contexts.messaging.public import SecretVault
from haulier.contexts.shipping.accounts import store
from haulier.contexts.shipping.accounts.contract import plain_credentials
from haulier.contexts.shipping.accounts.rules import (
    CARRIER_ACCOUNT_NAME_TAKEN,
    CARRIER_SECRETS_NOT_KEPT,
    require_credentials,
    secret_label,
)
from haulier.contexts.shipping.ports import CarrierKind
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import record_not_found


def seal_credentials(call: Call, kind: CarrierKind, given: Mapping[str, SecretStr]) -> dict[str, Any]:
    """Return credentials as they are stored.

    Raises `INVALID_REQUEST`, or `CARRIER_SECRETS_NOT_KEPT` if no key is configured.
    """
    plain = plain_credentials(dict(given))
    require_credentials(kind, plain)
    if not plain:
        return {"sealed_credentials": None, "credential_names": []}
    vault = call.adapter(SecretVault)
    if not vault.available:
        raise CARRIER_SECRETS_NOT_KEPT()
    sealed = vault.seal(msgspec.json.encode(plain).decode(), secret_label(call.client_id, kind.code))
    return {"sealed_credentials": sealed, "credential_names": sorted(plain)}


async def write_account(call: Call, account_id: int | None, values: Mapping[str, Any]) -> int:
    """Insert or update an account; at most one is the default.

    Raises `CARRIER_ACCOUNT_NAME_TAKEN`.
    """
    if values.get("is_default"):
        await store.clear_default_account(call.work)
    stamped = {**values, "updated_at": call.now}
    try:
        async with call.work.savepoint():
            if account_id is None:
                account_id = await store.insert_account(call.work, stamped)
            else:
                await store.update_account_row(call.work, account_id, stamped)
    except UniqueConflict:
        raise CARRIER_ACCOUNT_NAME_TAKEN() from None
    call.add_audit_subjects("carrier_account", account_id)
    return account_id


async def close_account(call: Call, account_id: int) -> None:
    """Deactivate an account and delete its credentials. Raises `NOT_FOUND`."""
    if await store.get_account_row(call.work, account_id, lock=True) is None:
        raise record_not_found(account_id=account_id)
    gone = {"deleted_at": call.now, "active": False, "is_default": False, "sealed_credentials": None}
    await write_account(call, account_id, gone)
