"""Sending a text message for a client, through the carrier it has."""

from haulier.contexts.messaging.ports import SecretUnreadable, SecretVault, SmsProviderDirectory, SmsRefused, SmsSender
from haulier.contexts.messaging.sms import store
from haulier.contexts.messaging.sms.rules import sms_secret_label
from haulier.kernel.application import Application

SECRET_UNREADABLE = "secret_lost"


async def deliver_sms(app: Application, client_id: int, phone: str, text: str) -> None:
    """Hand a message over, and note how it fared where the client uses an account of its own.

    Raises `SmsRefused` for one that will never be taken, `OSError` when it is not taken now. There is no way back to the
    platform's carrier for a client whose own account fails: it would pay for what nobody asked it to.
    """
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
    except SecretUnreadable as lost:
        fault = SECRET_UNREADABLE
        raise SmsRefused(str(lost), SECRET_UNREADABLE) from None
    except SmsRefused as refused:
        fault = refused.code or "refused"
        raise
    except OSError:
        fault = "unavailable"
        raise
    finally:
        async with app.database.write(client_id) as work:
            await store.record_sms_outcome(work, app.clock(), fault)
