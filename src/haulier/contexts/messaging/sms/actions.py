"""Sending of SMS for a client, through its own provider account or the platform's."""

from datetime import timedelta

from msgspec import Struct

from haulier.contexts.messaging.ports import (
    SecretUnreadable,
    SecretVault,
    SmsLines,
    SmsProviderDirectory,
    SmsRefused,
    SmsSender,
)
from haulier.contexts.messaging.sms import store
from haulier.contexts.messaging.sms.rules import sms_secret_label
from haulier.kernel.application import Application

SECRET_UNREADABLE, NOT_OFFERED = "secret_lost", "not_offered"
_TENANCY_REASON = "one process hears the message centres of all clients"


class SmsConnection(Struct, frozen=True):
    """An account whose message centre this process listens to.

    A replaced account is a different one.
    """

    client_id: int
    account: str
    secret: str


async def acquire_connections(app: Application, holder: str, lease: timedelta) -> set[SmsConnection]:
    """Reserve accounts without a listener for a time, and return all reserved ones."""
    now, providers = app.clock(), app.adapter(SmsLines).providers
    async with app.database.write(None) as work:
        wide = work.without_tenant_filter(_TENANCY_REASON)
        rows = await store.acquire_accounts(wide, providers, holder, now, now + lease)
    kept: set[SmsConnection] = set()
    for row in rows:
        try:
            secret = app.adapter(SecretVault).open(row.sealed_secret, sms_secret_label(row.client_id))
        except SecretUnreadable:
            continue
        kept.add(SmsConnection(row.client_id, row.account, secret))
    return kept


async def release_connections(app: Application, holder: str) -> None:
    """Let another process hear what this one heard."""
    async with app.database.write(None) as work:
        await store.release_accounts(work.without_tenant_filter(_TENANCY_REASON), holder)


async def record_connection_fault(app: Application, client_id: int, fault: str) -> None:
    """Let the settings of a client show why its message centre is not heard."""
    async with app.database.write(client_id) as work:
        await store.record_sms_outcome(work, app.clock(), fault)


async def deliver_sms(app: Application, client_id: int, phone: str, text: str) -> None:
    """Send an SMS, and record the outcome if the client uses its own account.

    Raises `SmsRefused` for a message that will never be accepted, `OSError` if it is not accepted now.
    """
    # No fallback to the platform's account: the platform would pay for messages that the client chose to pay itself.
    async with app.database.read(client_id) as work:
        account = await store.get_sms_account(work)
    if account is None:
        await app.adapter(SmsSender).send(phone, text)
        return
    fault: str | None = None
    try:
        secret = app.adapter(SecretVault).open(account.sealed_secret, sms_secret_label(client_id))
        carrier = app.adapter(SmsProviderDirectory).carrier(account.provider, account.account, secret, account.sender)
        await carrier.send(phone, text)
    except SecretUnreadable as error:
        fault = SECRET_UNREADABLE
        raise SmsRefused(str(error), SECRET_UNREADABLE) from None
    except KeyError:
        fault = NOT_OFFERED
        raise SmsRefused("the provider of the account is no longer offered", NOT_OFFERED) from None
    except SmsRefused as error:
        fault = error.code or "refused"
        raise
    except OSError:
        fault = "unavailable"
        raise
    finally:
        async with app.database.write(client_id) as work:
            await store.record_sms_outcome(work, app.clock(), fault)
