"""The limits of an operation, counted before its transaction begins."""

from datetime import timedelta
from typing import Any

from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic
from haulier.kernel.http.rate_limits import forget_past_counts
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Effect
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.principal import Principal


async def limit_rate(app: Application, incoming: OperationRequest, principal: Principal, request: Request) -> None:
    """Count a call. Raises `RATE_LIMITED`."""
    operation = incoming.operation
    if operation.limits:
        facts = {"address": incoming.address, "user": principal.user_id}

        def fact(name: str) -> Any:
            return facts[name] if name in facts else getattr(request, name, "")

        # Why exact for writes: they sign people in, try codes and spend money, and cost a transaction anyway.
        exact = operation.effect is Effect.WRITE
        await app.rate_limiter.consume(operation.name, operation.limits, fact, app.clock(), exact=exact)


@periodic(timedelta(hours=1))
async def delete_old_counts(app: Application) -> None:
    """Delete the counts of calls that no limit looks at any more."""
    async with app.database.write(None) as work:
        await forget_past_counts(work, app.clock())
