"""Errors of services: codes in use, ordered services, areas, and invalid prices."""

from typing import Any

from tests.contexts.billing.ledger.makers import make_call
from tests.contexts.billing.services.makers import make_service
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.billing import public as billing

FAR = {"zones": [{"code": "city", "name": "City", "countries": ["CA"]}], "per_km_minor": 100_000_000}


async def scene(app: App) -> dict[str, Any]:
    """Create a service in one country with one order."""
    service = (await make_service(app, pricing=FAR, form=[])).id
    async with make_call(app) as call:
        await billing.mark_service_used(call, service)
    return {"service": service}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    one = {"service_id": ids["service"]}
    far = {**one, "country": "CA", "distance_m": 40_000_000}
    return {
        ("create_service", "SERVICE_CODE_TAKEN"): ("admin", {"code": "same-day", "kind": "ltl", "name": "x"}),
        ("delete_service", "SERVICE_IN_USE"): ("admin", one),
        ("preview_service_price", "SERVICE_OUT_OF_AREA"): ("admin", {**one, "country": "US"}),
        ("preview_service_price", "SERVICE_PRICE_OUT_OF_RANGE"): ("admin", far),
    }
