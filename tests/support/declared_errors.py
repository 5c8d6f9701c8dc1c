"""Fails tests in which an operation returns an error that it does not declare."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from haulier.kernel.application import Application
from haulier.kernel.operations import errors
from haulier.kernel.operations.errors import ErrorType, OperationError
from haulier.kernel.pipeline import run
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult

OF_ANY_CALL: tuple[ErrorType, ...] = (
    *(errors.INVALID_REQUEST, errors.MALFORMED_JSON, errors.BODY_TOO_LARGE, errors.REQUEST_TOO_SLOW),
    *(errors.UNAUTHENTICATED, errors.INVALID_TOKEN, errors.TOKEN_EXPIRED, errors.ACCOUNT_NOT_ALLOWED),
    *(errors.CLIENT_SUSPENDED, errors.MAINTENANCE),
    *(errors.SCOPE_MISSING, errors.SCOPE_NARROWED, errors.MODULE_NOT_ENABLED, errors.MODULE_NOT_AVAILABLE),
    *(errors.FEATURE_OFF, errors.RATE_LIMITED, errors.CONFIRM_REQUIRED, errors.CANNOT_WAIT, errors.CONFLICT),
    *(errors.IDEMPOTENCY_KEY_REUSED, errors.IDEMPOTENCY_KEY_INVALID, errors.ANSWER_NOT_REPEATED, errors.BUSY_TRY_AGAIN),
    *(errors.DEADLINE_EXCEEDED, errors.DATABASE_UNAVAILABLE, errors.DATABASE_FULL, errors.OUTCOME_UNKNOWN),
    *(errors.KEY_UNAVAILABLE, errors.INTERNAL_ERROR),
)
"""Errors of the pipeline, which every operation can return without declaring them."""
ALWAYS_ALLOWED = frozenset(each.code for each in OF_ANY_CALL)
CONTEXTS = Path(__file__).parents[1] / "contexts"
RUN_OTHERS = frozenset(
    ["propose_write", "renew_pending_write", "approve_pending_write", "approve_pending_writes", "run_graphql_query"]
)
"""Operations that run another one and return its errors."""
_run_within_deadline = run._run_within_deadline


class DeclaredErrors:
    """Undeclared errors of the current test."""

    def __init__(self) -> None:
        self.undeclared: set[str] = set()

    async def check(self, app: Application, incoming: OperationRequest, result: OperationResult) -> None:
        """Run a call and record an undeclared error."""
        try:
            await _run_within_deadline(app, incoming, result)
        except OperationError as error:
            operation, kind = incoming.operation, error.error_type
            name = f"{operation.name} {kind.code}"
            excused = not operation.handler.__module__.startswith("haulier.") or operation.name in RUN_OTHERS
            if not (kind.code in ALWAYS_ALLOWED or kind.code in {each.code for each in operation.errors} or excused):
                self.undeclared.add(name)
            raise


@pytest.fixture(scope="session")
def watched_errors() -> Iterator[DeclaredErrors]:
    """Check every call of the process."""
    watched = DeclaredErrors()
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(run, "_run_within_deadline", watched.check)
        yield watched


@pytest.fixture(autouse=True)
def errors_are_declared(request: pytest.FixtureRequest, watched_errors: DeclaredErrors) -> Iterator[None]:
    """Fail a test in which an operation returned an undeclared error."""
    watched_errors.undeclared.clear()
    yield
    if request.path.is_relative_to(CONTEXTS):
        assert sorted(watched_errors.undeclared) == []
