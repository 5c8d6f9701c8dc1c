"""Whether a client can send text messages, and through whom its campaigns go."""

from haulier.contexts.messaging.ports import SecretUnreadable, SecretVault, SmsGateway, SmsProviderDirectory, SmsSender
from haulier.contexts.messaging.sms import store
from haulier.contexts.messaging.sms.rules import sms_secret_label
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork


async def can_send_sms(app: Application, work: UnitOfWork) -> bool:
    """Whether text messages can be sent for the client of a unit of work."""
    return app.adapter(SmsSender).configured or await store.get_sms_account(work) is not None


async def campaign_route(app: Application, work: UnitOfWork) -> str:
    """Through whom campaigns of the client go: own_account, trial or nobody.

    # Why not the platform's account: answers to its number cannot be told apart by client, so a STOP would be nobody's.
    """
    if await store.get_sms_account(work) is not None:
        return "own_account"
    return "trial" if app.adapter(SmsProviderDirectory).trial() else "nobody"


async def open_gateway(app: Application, client_id: int) -> SmsGateway | None:
    """Return the gateway that campaigns of a client go through; None where there is none, or its secret is lost."""
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
