"""Ports of OAuth."""

from typing import Protocol


class AgentDocumentRefused(Exception):
    """Raised for a rejected agent document; the text has the reason for the log."""


class AgentDocumentFetcher(Protocol):
    """Fetcher of agents' metadata documents. The address is untrusted."""

    async def fetch(self, url: str) -> bytes:
        """Return the document at an https address. Raises `AgentDocumentRefused`.

        Connects only to public network addresses, follows no redirect, and stops reading long documents.
        """
        ...
