"""What OAuth needs from outside."""

from typing import Protocol


class AgentDocumentRefused(Exception):
    """A document of an agent that is not taken; the text says why, for the log."""


class AgentDocumentFetcher(Protocol):
    """Fetches the document in which an agent's makers say who it is. The address comes from a stranger."""

    async def fetch(self, url: str) -> bytes:
        """The document at an https address. Raises `DocumentRefused`.

        Only public addresses of the network are asked, no redirect is followed, and a long document is not read to its end.
        """
        ...
