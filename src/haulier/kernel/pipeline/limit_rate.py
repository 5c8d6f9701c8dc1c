"""The limits of an operation: of calls, counted before its transaction begins, and of failures, counted after it."""

from datetime import timedelta
from typing import Any

from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic
from haulier.kernel.http.rate_limits import forget_past_counts
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.principal import Principal


async def limit_rate(app: Application, incoming: OperationRequest, principal: Principal, request: Request) -> None:
    """Count a call, and look whether there were too many failures before it. Raises `RATE_LIMITED`."""
    await _consume(app, incoming, principal, request, failures=False)
    await _consume(app, incoming, principal, request, failures=True, count=False)


async def limit_failures(
    app: Application, incoming: OperationRequest, principal: Principal, request: Request, error: OperationError
) -> None:
    """Count a call that ended in an error of its operation. Raises `RATE_LIMITED` instead of one that is too many.

    Why not counted before and taken back: with a limit of 30, the 31st of right calls side by side would be refused.
    """
    if error.error_type in incoming.operation.errors:
        await _consume(app, incoming, principal, request, failures=True)


async def _consume(
    app: Application,
    incoming: OperationRequest,
    principal: Principal,
    request: Request,
    *,
    failures: bool,
    count: bool = True,
) -> None:
    operation = incoming.operation
    limits = tuple(limit for limit in operation.limits if limit.failures is failures)
    if limits:
        facts = {"address": app.network_of(incoming.address), "user": principal.user_id}

        def fact(name: str) -> Any:
            return facts[name] if name in facts else getattr(request, name, "")

        # Why exact for writes: they sign people in, try codes and spend money, and cost a transaction anyway.
        exact = failures or operation.effect is Effect.WRITE
        await app.rate_limiter.consume(operation.name, limits, fact, app.clock(), exact=exact, count=count)


@periodic(timedelta(hours=1))
async def delete_old_counts(app: Application) -> None:
    """Delete the counts of calls that no limit looks at any more."""
    async with app.database.write(None) as work:
        await forget_past_counts(work, app.clock())
