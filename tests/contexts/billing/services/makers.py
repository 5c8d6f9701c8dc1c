"""Services to try things on."""

from typing import Any

from tests.contexts.billing.services.examples import TERMS
from tests.support.app import App


async def make_service(app: App, code: str = "same-day", kind: str = "parcel", **said: Any) -> Any:
    """A service of the demo client, as the answer shows it."""
    return (await app.answer("admin", "create_service", {"code": code, "kind": kind, **TERMS, **said})).service


async def faults_of(app: App, who: str, operation: str, values: dict[str, Any]) -> dict[str, str]:
    """The fields of a refused request, with the codes of what is wrong with them."""
    outcome = await app.call(who, operation, values)
    assert outcome.status == 422, outcome
    return {fault["field"]: fault["code"] for fault in outcome.error["errors"]}
