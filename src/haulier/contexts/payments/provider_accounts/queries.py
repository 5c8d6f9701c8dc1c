"""The provider of a client's account, for other families."""

from collections.abc import Mapping

import msgspec

from haulier.contexts.payments.ports import PaymentProvider, PaymentProviderDirectory, ProviderUnavailable
from haulier.contexts.payments.provider_accounts import store
from haulier.contexts.payments.provider_accounts.rules import ONLINE_PAYMENT_OFF, payment_secret_label
from haulier.contexts.payments.provider_accounts.store import PaymentAccountRow as PaymentAccountRow
from haulier.contexts.payments.provider_accounts.store import find_account_by_endpoint as find_account_by_endpoint
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.secrets import SecretUnreadable, SecretVault


async def require_active_account(work: UnitOfWork) -> PaymentAccountRow:
    """Return the account for new payments. Raises `ONLINE_PAYMENT_OFF`."""
    row = await store.get_account_row(work)
    if row is None or not row.active or row.sealed_credentials is None:
        raise ONLINE_PAYMENT_OFF()
    return row


async def open_provider_of(app: Application, client_id: int) -> PaymentProvider:
    """Return a client's provider, also if inactive. Raises `ProviderUnavailable`."""
    async with app.database.read(client_id) as work:
        row = await store.get_account_row(work)
    if row is None:
        raise ProviderUnavailable("there is no account with a provider")
    return open_provider(app, row)


def open_provider(app: Application, row: PaymentAccountRow) -> PaymentProvider:
    """Return the provider of an account.

    Raises `ProviderUnavailable` without credentials.
    """
    try:
        return app.adapter(PaymentProviderDirectory).open(row.provider, _credentials(app, row), test_mode=row.test_mode)
    except SecretUnreadable as fault:
        raise ProviderUnavailable(str(fault)) from None
    except KeyError:
        raise ProviderUnavailable(f"there is no connector for {row.provider}") from None


def public_credentials(app: Application, row: PaymentAccountRow) -> dict[str, str]:
    """Return the public data of an account. Raises `ProviderUnavailable`."""
    kinds = {kind.code: kind for kind in app.adapter(PaymentProviderDirectory).kinds}
    if row.provider not in kinds:
        return {}
    try:
        kept = _credentials(app, row)
    except SecretUnreadable as fault:
        raise ProviderUnavailable(str(fault)) from None
    return {name: kept[name] for name in kinds[row.provider].public_credentials if name in kept}


def _credentials(app: Application, row: PaymentAccountRow) -> Mapping[str, str]:
    if row.sealed_credentials is None:
        raise SecretUnreadable("no credentials are kept")
    opened = app.adapter(SecretVault).open(row.sealed_credentials, payment_secret_label(row.client_id, row.provider))
    return msgspec.json.decode(opened, type=dict[str, str])
