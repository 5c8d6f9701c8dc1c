"""Rate limits of an operation: calls counted before it, failures after it."""

from datetime import timedelta
from typing import Any

from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic
from haulier.kernel.http.rate_limits import delete_past_counts
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.principal import Principal


async def limit_rate(app: Application, incoming: OperationRequest, principal: Principal, request: Request) -> None:
    """Count a call and check the failure limits. Raises `RATE_LIMITED`."""
    await _consume(app, incoming, principal, request, failures=False)
    await _consume(app, incoming, principal, request, failures=True, count=False)


async def limit_failures(
    app: Application, incoming: OperationRequest, principal: Principal, request: Request, error: OperationError
) -> None:
    """Count a call that ended in a declared error.

    Raises `RATE_LIMITED` if there were too many.

    Failures are counted afterwards, because counting them in advance would refuse parallel calls that succeed.
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

        limits = app.rate_limiter.scale_limits(operation.name, limits)
        # Writes sign users in, try codes and spend money, and need a transaction anyway.
        exact = failures or operation.effect is Effect.WRITE
        await app.rate_limiter.consume(operation.name, limits, fact, app.clock(), exact=exact, count=count)


@periodic(timedelta(hours=1))
async def delete_old_counts(app: Application) -> None:
    """Delete expired counts of calls."""
    async with app.database.write(None) as work:
        await delete_past_counts(work, app.clock())
