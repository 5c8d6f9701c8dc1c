"""The client of NATS, with the questions it must not forget. Imported late: it needs the extra `streams`."""

import asyncio

from nats.aio.client import DEFAULT_FLUSH_TIMEOUT, Client
from nats.errors import FlushTimeoutError

ANSWER_TIMEOUT_S = 600
"""Longer than the library takes to find out that a server is gone."""


class PatientClient(Client):
    """A connection that waits for every answer it asked for, whoever gave up waiting in the meantime.

    Why: nats-py 2.16 stops reading, without a word to anybody, when an answer comes that nobody waits for any more. It
    asks when a subscription is confirmed and when one ends; a server that is slow for ten seconds made both deaf.
    """

    async def flush(self, timeout: int = DEFAULT_FLUSH_TIMEOUT) -> None:  # noqa: ASYNC109 - the name is the library's
        """Wait until the server has what was sent. Raises `FlushTimeoutError`."""
        asked = asyncio.ensure_future(super().flush(ANSWER_TIMEOUT_S))
        asked.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.wait_for(asyncio.shield(asked), timeout)
        except TimeoutError as error:
            raise FlushTimeoutError from error
