"""What OAuth needs from outside."""

from typing import Protocol


class AgentDocumentRefused(Exception):
    """A document of an agent is refused; the text says why, for the log."""


class AgentDocumentFetcher(Protocol):
    """Fetches the metadata document of an agent. The address comes from an untrusted caller."""

    async def fetch(self, url: str) -> bytes:
        """The document at an https address. Raises `AgentDocumentRefused`.

        Connects only to public network addresses, follows no redirect, and does not read a long document to its end.
        """
        ...
