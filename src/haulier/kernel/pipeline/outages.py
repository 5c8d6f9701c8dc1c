"""Errors for outages: 503 with a retry time and the outcome of the write."""

from haulier.kernel.data.outages import CommitOutcomeUnknown, DatabaseFull, DatabaseOutage
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.errors import (
    BUSY_TRY_AGAIN,
    DATABASE_FULL,
    DATABASE_UNAVAILABLE,
    KEY_UNAVAILABLE,
    OUTCOME_UNKNOWN,
    ErrorType,
    OperationError,
)
from haulier.kernel.secrets import KeyUnavailable

OUTAGES = (DatabaseOutage, CommitOutcomeUnknown, TransactionRetry, KeyUnavailable)


def outage_error(error: Exception) -> OperationError:
    """Return the error that a caller gets for one of `OUTAGES`."""
    if isinstance(error, TransactionRetry):
        return try_later(BUSY_TRY_AGAIN)
    if isinstance(error, CommitOutcomeUnknown):
        return try_later(OUTCOME_UNKNOWN)
    if isinstance(error, KeyUnavailable):
        return try_later(KEY_UNAVAILABLE)
    return try_later(DATABASE_FULL if isinstance(error, DatabaseFull) else DATABASE_UNAVAILABLE)


def try_later(error_type: ErrorType) -> OperationError:
    """Return an error with a Retry-After header."""
    error = error_type()
    error.headers = {"Retry-After": str(error_type.body["retry_after_s"])}
    return error
