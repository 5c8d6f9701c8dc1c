"""Mapping of PostgreSQL and driver errors to errors of the data port."""

import re

import asyncpg

from haulier.kernel.data.outages import DatabaseFull, DatabaseReadOnly, DatabaseUnreachable
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict

DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
"""Errors of the driver.

A lost connection surfaces as either an `InterfaceError` or an `OSError`.
"""
RETRYABLE_ERRORS = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.LockNotAvailableError,
    # Statements validate before they write, so a failed check means that another call changed the row in between. The
    # next attempt sees the change and reports a proper error.
    asyncpg.CheckViolationError,
)
UNREACHABLE_ERRORS = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # no host of the address is a primary
    asyncpg.PostgresConnectionError,  # class 08
    asyncpg.AdminShutdownError,  # 57P01
    asyncpg.CrashShutdownError,  # 57P02
    asyncpg.CannotConnectNowError,  # 57P03
    asyncpg.InsufficientResourcesError,  # class 53: connections, memory
    asyncpg.PostgresIOError,  # 58030
)

_QUOTED_NAME = re.compile(r'"([^"]+)"')
_SHARD = re.compile(r"_\d{6,}$")


def _constraint_of(error: asyncpg.UniqueViolationError) -> str:
    """Return the name of the violated constraint.

    Citus passes on only the message of a worker, and appends the number of the shard.
    """
    quoted = _QUOTED_NAME.search(str(error))
    name = getattr(error, "constraint_name", None) or (quoted[1] if quoted else "")
    return _SHARD.sub("", name)


def translated_error(error: Exception) -> Exception:
    """Return the data port's error, or the same error if it has none."""
    if isinstance(error, asyncpg.UniqueViolationError):
        return UniqueConflict(_constraint_of(error))
    if isinstance(error, RETRYABLE_ERRORS):
        return TransactionRetry(str(error))
    if isinstance(error, asyncpg.DiskFullError):  # 53100
        return DatabaseFull(str(error))
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):  # 25006
        return DatabaseReadOnly(str(error))
    if isinstance(error, UNREACHABLE_ERRORS):
        return DatabaseUnreachable(f"{type(error).__name__}: {error}")
    return error
