"""Example SMS provider that rejects every message."""

from haulier.contexts.messaging.ports import SmsProvider, SmsRefused


class Pigeon:
    """A provider account."""

    configured = True

    def __init__(self, account: str, secret: str, sender: str) -> None:
        self._sender = sender

    async def send(self, to: str, text: str) -> None:
        """Reject the message. A real provider would call an HTTP API here."""
        raise SmsRefused(f"no pigeon of {self._sender} knows {to}", "no_pigeon")


PROVIDER = SmsProvider(open=Pigeon)
