"""Availability of SMS for a client, and the route of its campaigns."""

from haulier.contexts.messaging.ports import SecretUnreadable, SecretVault, SmsGateway, SmsProviderDirectory, SmsSender
from haulier.contexts.messaging.sms import store
from haulier.contexts.messaging.sms.rules import sms_secret_label
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork


async def can_send_sms(app: Application, work: UnitOfWork) -> bool:
    """Return True if SMS can be sent for the client of a unit of work."""
    return app.adapter(SmsSender).configured or await store.get_sms_account(work) is not None


async def campaign_route(app: Application, work: UnitOfWork) -> str:
    """Return the route of the client's campaigns, or that they have none.

    Not the platform's account: replies to its number cannot be matched to a client, so a STOP could not be applied.
    """
    if await store.get_sms_account(work) is not None:
        return "own_account"
    return "trial" if app.adapter(SmsProviderDirectory).trial() else "nobody"


async def open_gateway(app: Application, client_id: int) -> SmsGateway | None:
    """Return the gateway of a client's campaigns.

    None without a gateway, or if its secret is lost.
    """
    directory = app.adapter(SmsProviderDirectory)
    async with app.database.read(client_id) as work:
        account = await store.get_sms_account(work)
    if account is None:
        return directory.trial()
    try:
        secret = app.adapter(SecretVault).open(account.sealed_secret, sms_secret_label(client_id))
        return directory.gateway(account.provider, account.account, secret, account.sender)
    except (SecretUnreadable, KeyError):
        return None
