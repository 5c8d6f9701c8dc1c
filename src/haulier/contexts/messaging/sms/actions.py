"""Sending a text message for a client, through its own provider account or the platform's."""

from haulier.contexts.messaging.ports import SecretUnreadable, SecretVault, SmsProviderDirectory, SmsRefused, SmsSender
from haulier.contexts.messaging.sms.rules import sms_secret_label
from haulier.contexts.messaging.sms.store import accounts as store
from haulier.kernel.application import Application

SECRET_UNREADABLE = "secret_lost"


async def deliver_sms(app: Application, client_id: int, phone: str, text: str) -> None:
    """Send a message, and record the outcome where the client uses an account of its own.

    Raises `SmsRefused` for a message that will never be accepted, `OSError` when it is not accepted now.
    """
    # Why: no fallback to the platform's account when the client's own fails: the platform would pay for messages that the
    # client chose to pay for itself.
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
    except SmsRefused as error:
        fault = error.code or "refused"
        raise
    except OSError:
        fault = "unavailable"
        raise
    finally:
        async with app.database.write(client_id) as work:
            await store.record_sms_outcome(work, app.clock(), fault)
