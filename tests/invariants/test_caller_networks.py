"""Rate limits by address count an IPv6 network as one caller."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace as replace_fields
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.http.rate_limits import RateLimiter
from haulier.kernel.operations.declaration import Operation, RateLimit
from haulier.kernel.operations.errors import RATE_LIMITED, OperationError
from haulier.kernel.pipeline.limit_rate import limit_failures, limit_rate
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.principal import ANONYMOUS

BY_ADDRESS = [(operation, limit) for operation in registry() for limit in operation.limits if "address" in limit.by]
TRIES = 3


async def is_limited(app: App, operation: Operation[Any, Any], limit: RateLimit) -> bool:
    """Return True if a limit counts addresses of one IPv6 network together."""
    app.application.rate_limiter = RateLimiter()
    few = replace(operation, limits=(replace_fields(limit, times=TRIES),))
    request: Any = SimpleNamespace(**dict.fromkeys(limit.by, "the same"))
    try:
        for number in range(TRIES + 1):
            address = f"2001:db8:1:2::{number + 1:x}"
            incoming = OperationRequest(operation=few, interface="rest", request_id="counted", address=address)
            if limit.failures:
                await limit_failures(app.application, incoming, ANONYMOUS, request, operation.errors[0]())
            else:
                await limit_rate(app.application, incoming, ANONYMOUS, request)
    except OperationError as refused:
        return refused.error_type is RATE_LIMITED
    return False


async def test_addresses_of_one_ipv6_network_share_every_limit(sqlite_app: App) -> None:
    assert len(BY_ADDRESS) > 20
    evaded = [operation.name for operation, limit in BY_ADDRESS if not await is_limited(sqlite_app, operation, limit)]
    assert evaded == []
