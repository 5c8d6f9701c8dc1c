"""Cached message settings, since every write of an order reads them."""

from haulier.contexts.recipients.messages import store
from haulier.contexts.recipients.messages.rules import MessagePolicy
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.unit_of_work import UnitOfWork


class KnownMessagePolicies(ClientCache[MessagePolicy | None]):
    """Cache of message settings by business. None for businesses without messages."""

    channel = store.MESSAGE_POLICIES_CHANNEL

    async def read(self, work: UnitOfWork) -> MessagePolicy | None:
        """Return the business's messages, or None if it sends none."""
        return await store.get_message_policy(work)
