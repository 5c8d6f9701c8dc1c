"""NATS client that tolerates slow servers.

Import it only where it is used: it requires the extra `streams`.
"""

import asyncio

from nats.aio.client import DEFAULT_FLUSH_TIMEOUT, Client
from nats.errors import FlushTimeoutError

ANSWER_TIMEOUT_S = 600
"""Longer than the library needs to detect a lost server."""


class PatientClient(Client):
    """Connection that waits for every response, even after the caller timed out.

    nats-py 2.16 silently stops reading when a response arrives after its request timed out. It sends these requests when a
    subscription is confirmed and when it ends, so a server that is slow for ten seconds would block both.
    """

    async def flush(self, timeout: int = DEFAULT_FLUSH_TIMEOUT) -> None:  # noqa: ASYNC109 - the name is the library's
        """Wait until the server has received all data. Raises `FlushTimeoutError`."""
        asked = asyncio.ensure_future(super().flush(ANSWER_TIMEOUT_S))
        asked.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.wait_for(asyncio.shield(asked), timeout)
        except TimeoutError as error:
            raise FlushTimeoutError from error
