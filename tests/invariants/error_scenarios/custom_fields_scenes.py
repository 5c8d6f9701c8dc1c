"""Errors of custom fields: names in use, and outdated changes."""

from typing import Any

from tests.contexts.custom_fields.makers import TEXT, make_field
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create a custom field."""
    return {"field": (await make_field(app, "purchase_order")).id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    taken = {"kind": "order", "name": "purchase_order", "value_schema": TEXT}
    return {
        ("create_custom_field", "CUSTOM_FIELD_NAME_TAKEN"): ("admin", taken),
        ("update_custom_field", "CUSTOM_FIELD_CHANGED"): ("admin", {"custom_field_id": ids["field"], "version": 9}),
    }
