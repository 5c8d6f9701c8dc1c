"""Errors that any operation can return, each met at one operation."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot, make_route

from haulier.app import registry
from haulier.contexts.planning.ports import TravelTimes
from haulier.kernel.http.rate_limits import RateLimiter
from haulier.kernel.operations.declaration import Operation, RateLimit
from haulier.kernel.operations.enums import Module
from haulier.kernel.operations.errors import RATE_LIMITED

PLACE = {"name": "Yard", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
NONE: dict[str, Any] = {}
BIG = 1_100_000


class UsedUp(RateLimiter):
    """A rate limiter whose limits are exhausted."""

    async def consume(self, operation: str, limits: tuple[RateLimit, ...], *facts: Any, **words: Any) -> None:
        raise RATE_LIMITED(retry_after_s=60)


TOKEN = {"name": "once", "scopes": ["orders:read"]}


async def scene(app: App) -> dict[str, Any]:
    """Prepare tokens, a used key, a disabled module and missing travel times.

    One token lacks scopes and another has expired.
    """
    weak = {"name": "weak", "scopes": ["account:read"], "expires_in_days": 30}
    for name, words in (("weak", weak), ("over", {**weak, "expires_in_days": 1})):
        app.tokens[name] = (await app.answer("admin", "issue_api_token", words)).access_token
    off = {"module": Module.BROKER_ORDER_ASSIGNMENTS.value, "enabled": False}
    await app.answer("rival", "set_module", off)
    await app.answer("admin", "create_depot", PLACE, idempotency_key="used")
    await app.answer("admin", "issue_api_token", TOKEN, idempotency_key="used")
    route = await make_route(app, depot_id=await make_depot(app))
    app.application.adapters = {**app.application.adapters, TravelTimes: None}
    app.clock.forward(days=2)
    return {"route": route}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    name = "create_depot"
    return {
        (name, "INVALID_REQUEST"): ("admin", NONE),
        (name, "MALFORMED_JSON"): ("admin", {"": "{"}),
        (name, "BODY_TOO_LARGE"): ("admin", {"": "x" * BIG}),
        (name, "UNSUPPORTED_MEDIA_TYPE"): ("admin", {"": "x"}, {"content-type": "text/plain"}),
        (name, "UNAUTHENTICATED"): (None, PLACE),
        (name, "INVALID_TOKEN"): (None, PLACE, {"authorization": "Bearer guessed"}),
        (name, "TOKEN_EXPIRED"): ("over", PLACE),
        (name, "ACCOUNT_NOT_ALLOWED"): ("driver", PLACE),
        (name, "SCOPE_MISSING"): ("weak", PLACE),
        (name, "IDEMPOTENCY_KEY_INVALID"): ("admin", PLACE, {"idempotency-key": "k" * 300}),
        (name, "IDEMPOTENCY_KEY_REUSED"): ("admin", {**PLACE, "name": "Other"}, {"idempotency-key": "used"}),
        ("issue_api_token", "ANSWER_NOT_REPEATED"): ("admin", TOKEN, {"idempotency-key": "used"}),
        (name, "UNKNOWN_PROFILE"): ("admin", PLACE, {"x-mcp-profile": "root"}),
        (name, "UNKNOWN_SCOPE"): ("admin", PLACE, {"x-mcp-scopes": "orders:read,bogus:x"}),
        (name, "SCOPE_NARROWED"): ("admin", PLACE, {"x-mcp-profile": "ops-readonly"}),
        (name, "UNKNOWN_APPROVAL_VALUE"): ("admin", PLACE, {"x-require-approval": "perhaps"}),
        (name, "UNKNOWN_APPROVAL_HEADER"): ("admin", PLACE, {"x-approval-required": "1"}),
        ("list_broker_order_assignments", "MODULE_NOT_ENABLED"): ("rival", NONE),
        ("get_order_chat", "FEATURE_OFF"): ("rival", {"order_id": 1}),
        ("otep_tracking", "NOT_ACCEPTABLE"): (None, {"tracking_number": "A1"}, {"accept": "image/png"}),
        ("check_route_change", "INTERNAL_ERROR"): ("admin", {"route_ids": [ids["route"]]}),
    }


def limited() -> dict[tuple[str, str], Operation[Any, Any]]:
    """Return the operations with a rate limit, keyed with the rate-limit error."""
    return {(operation.name, RATE_LIMITED.code): operation for operation in registry() if operation.limits}
