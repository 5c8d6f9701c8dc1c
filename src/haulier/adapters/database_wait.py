"""Waits at the start of a process until PostgreSQL accepts connections."""

import asyncio
import logging
import time

from haulier.adapters.postgres_errors import UNREACHABLE_ERRORS
from haulier.adapters.postgres_pool import open_connection
from haulier.settings import InvalidSetting, example_of

PAUSE_S = 1.0
"""Time between two attempts."""
REPORT_EVERY_S = 10.0
log = logging.getLogger("haulier.database")


def wait_for_database(url: str, wait_s: float) -> None:
    """Return when PostgreSQL accepts a connection.

    A refused login is not waited for. Raises `TimeoutError` after `wait_s`, and `InvalidSetting` for an invalid URL.
    """
    asyncio.run(_wait_for_connection(url, wait_s))


async def _wait_for_connection(url: str, wait_s: float) -> None:
    ends = time.monotonic() + wait_s
    reported = float("-inf")
    while True:
        try:
            connection = await open_connection(url)
        except ValueError:  # its text can contain a part of the password
            raise InvalidSetting(
                "setting 'database': the URL is invalid. Percent-encode special characters of the password. Example:"
                f" {example_of('database')}"
            ) from None
        except UNREACHABLE_ERRORS as fault:
            now = time.monotonic()
            if now >= ends:
                raise TimeoutError(f"PostgreSQL could not be reached within {wait_s:g} s: {fault}") from None
            if now - reported >= REPORT_EVERY_S:
                log.warning("waiting for PostgreSQL: %s", fault)
                reported = now
            await asyncio.sleep(min(PAUSE_S, ends - now))
        else:
            await connection.close()
            return
