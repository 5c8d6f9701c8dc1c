"""What other contexts may ask of messaging."""

from haulier.contexts.messaging.ports import SmsSender
from haulier.contexts.messaging.sms import actions
from haulier.contexts.messaging.sms import store as texting_store
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork


async def send_sms(app: Application, client_id: int, phone: str, text: str) -> None:
    """Send a text message to a number in E.164 for a client, through its own account or the platform's carrier.

    For errands. Raises `SmsRefused` for one that will never be taken, `OSError` when it is not taken now.
    """
    await actions.deliver_sms(app, client_id, phone, text)


async def can_send_sms(app: Application, work: UnitOfWork) -> bool:
    """Whether anybody carries text messages for the client of a unit of work."""
    return app.adapter(SmsSender).configured or await texting_store.get_sms_account(work) is not None
