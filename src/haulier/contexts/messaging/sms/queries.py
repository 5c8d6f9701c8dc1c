"""Whether a client can send text messages."""

from haulier.contexts.messaging.ports import SmsSender
from haulier.contexts.messaging.sms.store import accounts as store
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork


async def can_send_sms(app: Application, work: UnitOfWork) -> bool:
    """Whether text messages can be sent for the client of a unit of work."""
    return app.adapter(SmsSender).configured or await store.get_sms_account(work) is not None
