"""A provider of text messages that takes none."""

from haulier.contexts.messaging.ports import SmsProvider, SmsRefused


class Pigeon:
    """An account with a provider."""

    configured = True

    def __init__(self, account: str, secret: str, sender: str) -> None:
        self._sender = sender

    async def send(self, to: str, text: str) -> None:
        """Refuses every message: pigeons need a home. A real provider is asked over HTTP here."""
        raise SmsRefused(f"no pigeon of {self._sender} knows {to}", "no_pigeon")


PROVIDER = SmsProvider(open=Pigeon)
