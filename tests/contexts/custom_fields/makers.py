"""Custom fields to try things on."""

from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

TEXT = {"type": "string", "maxLength": 20}


async def make_field(app: App, name: str, kind: str = "order", **said: Any) -> Any:
    """Create a text field of the demo client by default, and return it."""
    values = {"kind": kind, "name": name, "value_schema": TEXT, **said}
    return (await app.answer("admin", "create_custom_field", values)).custom_field


async def make_order(app: App, who: str = "admin", packages: Any = None, **custom_fields: Any) -> Any:
    """An order with values of custom fields, in full as the admin sees it."""
    values = {"consignee": ADDRESS, "custom_fields": custom_fields, **({"packages": packages} if packages else {})}
    order = (await app.answer(who, "create_order", values)).order
    return (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order


async def faults_of(app: App, who: str, operation: str, values: dict[str, Any]) -> dict[str, str]:
    """The fields of a refused request, with the codes of what is wrong with them."""
    outcome = await app.call(who, operation, values)
    assert outcome.status == 422, outcome
    return {fault["field"]: fault["code"] for fault in outcome.error["errors"]}
