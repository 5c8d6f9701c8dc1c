"""Errors of webhooks: forbidden URLs, unusable secrets, and disabled endpoints."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

URL = "https://receiver.example/hooks"


async def scene(app: App) -> dict[str, Any]:
    """Create a paused endpoint with a test in its log."""
    wanted = {"url": URL, "events": ["order.created"], "enabled": False}
    settings = await app.answer("admin", "update_webhook_settings", {"endpoints": [wanted]})
    tested = await app.answer("admin", "test_webhook_delivery", {"url": URL})
    issued = await app.answer("admin", "issue_api_token", {"name": "weak", "scopes": ["webhooks:write"]})
    app.tokens["weak webhooks"] = issued.access_token
    return {"endpoint": settings.endpoints[0].id, "log": tested.delivery_log_id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    inside = {"url": "https://10.0.0.1/hooks", "events": ["*"]}
    off = {"endpoint_id": ids["endpoint"], "since": "2026-06-10T00:00:00Z"}
    unusable = {"url": URL, "secret": "whsec_this-is-no-base64-at-all"}
    return {
        ("update_webhook_settings", "WEBHOOK_URL_REFUSED"): ("admin", {"endpoints": [inside]}),
        ("update_webhook_settings", "SCOPES_EXCEEDED"): (
            "weak webhooks",
            {"endpoints": [{"url": "https://other.example/hooks", "events": ["*"]}]},
        ),
        ("test_webhook_delivery", "WEBHOOK_URL_REFUSED"): ("admin", {"url": inside["url"]}),
        ("test_webhook_delivery", "WEBHOOK_SECRET_UNUSABLE"): ("admin", unusable),
        ("replay_webhook_delivery", "WEBHOOK_ENDPOINT_OFF"): ("admin", {"delivery_log_id": ids["log"]}),
        ("recover_webhook_deliveries", "WEBHOOK_ENDPOINT_OFF"): ("admin", off),
    }
