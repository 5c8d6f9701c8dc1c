"""The messages that clients want sent: remembered, because each write of an order asks whether there are any."""

from haulier.contexts.recipients.messages.rules.policies import MessagePolicy
from haulier.contexts.recipients.messages.store import policies as store
from haulier.kernel.data.remembered import ClientMemory
from haulier.kernel.data.unit_of_work import UnitOfWork


class KnownMessagePolicies(ClientMemory[MessagePolicy | None]):
    """The messages that clients want sent; None for those who want none."""

    channel = store.MESSAGE_POLICIES_CHANNEL

    async def read(self, work: UnitOfWork) -> MessagePolicy | None:
        """The client's messages, or None where it wants none."""
        return await store.get_message_policy(work)
