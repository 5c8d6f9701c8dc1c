"""Errors of PostgreSQL and its driver, as the data port names them."""

import asyncpg

from haulier.kernel.data.outages import DatabaseFull, DatabaseReadOnly, DatabaseUnreachable
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict

DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
"""What the driver raises. A connection that was lost is an `InterfaceError` at one moment and an `OSError` at another."""
RETRYABLE_ERRORS = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.LockNotAvailableError,
    # Why a broken check, too: statements look before they write, so a row was changed by another call in between. The next
    # attempt sees it, and refuses in words.
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


def translated_error(error: Exception) -> Exception:
    """The error as the data port names it; the same error where it has no name of ours."""
    if isinstance(error, asyncpg.UniqueViolationError):
        return UniqueConflict(getattr(error, "constraint_name", None) or "")
    if isinstance(error, RETRYABLE_ERRORS):
        return TransactionRetry(str(error))
    if isinstance(error, asyncpg.DiskFullError):  # 53100
        return DatabaseFull(str(error))
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):  # 25006
        return DatabaseReadOnly(str(error))
    if isinstance(error, UNREACHABLE_ERRORS):
        return DatabaseUnreachable(f"{type(error).__name__}: {error}")
    return error
