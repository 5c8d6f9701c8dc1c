"""Whether somebody wants no texts at all."""

from haulier.contexts.messaging.campaigns.rules.numbers import number_key
from haulier.contexts.messaging.campaigns.store import suppressions as store
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import Feature


async def is_number_suppressed(app: Application, client_id: int, phone: str) -> bool:
    """Whether a number is on the client's list of everything; it holds while the family is switched off, too."""
    if Feature.SMS_MARKETING in app.modules_missing:
        return False
    async with app.database.read(client_id) as work:
        return await store.is_wholly_suppressed(work, number_key(client_id, phone))
