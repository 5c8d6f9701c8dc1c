"""Small makers: an order to write about, and writes that wait."""

from typing import Any

from tests.support.app import App
from tests.support.tables import rows

THERE = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}
QUIET = {"job", "idempotency_key", "audit_entry", "audit_subject", "pending_write"}
"""Tables that a proposal itself writes."""


def code(outcome: Any) -> tuple[int, str | None]:
    """Status and code of an outcome."""
    return outcome.status, outcome.error and outcome.error["code"]


async def create_order_as(app: App, who: str = "admin", **words: Any) -> int:
    """A new order; its id."""
    return (await app.answer(who, "create_order", {"consignee": THERE, **words})).order.id


async def status_of(app: App, order_id: int) -> str:
    """Where the order stands."""
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.status


async def make_token(app: App, who: str, name: str, **words: Any) -> str:
    """Create another token of a user, such as an agent's, as `app.tokens[name]`."""
    answer = await app.answer(who, "issue_api_token", {"name": name, **words})
    app.tokens[name] = answer.access_token
    app.ids[name] = answer.id
    return name


async def make_proposal(app: App, who: str = "employee", tool: str = "hold_order", **words: Any) -> Any:
    """A pending write: by default an employee wants a new order held."""
    arguments = words.pop("arguments", None) or {"order_id": await create_order_as(app)}
    answer = await app.answer(who, "propose_write", {"tool": tool, "arguments": arguments, **words})
    return answer.approval


async def read_all_rows(app: App, *, but: set[str] = QUIET) -> dict[str, list[str]]:
    """Every row of every table, but those of some tables."""
    return await rows(app, but=but)
