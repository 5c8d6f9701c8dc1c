"""Sending a text message for a client, through the carrier it has."""

from haulier.contexts.access.ports import SecretLost, Sms, SmsProviders, SmsRefused, Vault
from haulier.contexts.access.texting import store
from haulier.contexts.access.texting.rules import about
from haulier.kernel.house import House

UNREADABLE = "secret_lost"


async def send(house: House, client_id: int, phone: str, text: str) -> None:
    """Hand a message over, and note how it fared where the client uses an account of its own.

    Raises `SmsRefused` for one that will never be taken, `OSError` when it is not taken now. There is no way back to the
    platform's carrier for a client whose own account fails: it would pay for what nobody asked it to.
    """
    async with house.database.read(client_id) as work:
        account = await store.of(work)
    if account is None:
        await house.adapter(Sms).send(phone, text)
        return
    fault: str | None = None
    try:
        secret = house.adapter(Vault).open(account.sealed_secret, about(client_id))
        carrier = house.adapter(SmsProviders).carrier(account.provider, account.account, secret, account.sender)
        await carrier.send(phone, text)
    except SecretLost as lost:
        fault = UNREADABLE
        raise SmsRefused(str(lost), UNREADABLE) from None
    except SmsRefused as refused:
        fault = refused.code or "refused"
        raise
    except OSError:
        fault = "unavailable"
        raise
    finally:
        async with house.database.write(client_id) as work:
            await store.note(work, house.clock(), fault)
