"""Steps of the dry-run day about custom fields."""

from collections.abc import Callable, Iterator
from typing import TypeVar

S = TypeVar("S")
FILTERED = "purchase_order"


def custom_field_steps(step: Callable[..., S]) -> Iterator[S]:
    """Yield steps about custom fields, built with `step`."""
    text = {"type": "string"}
    yield step(
        "admin", "create_custom_field", {"old_field": "custom_field.id"}, kind="order", name="old", value_schema=text
    )
    yield step("admin", "archive_custom_field", custom_field_id="$old_field")
    yield step("admin", "restore_custom_field", custom_field_id="$old_field")
    yield step("admin", "update_custom_field", custom_field_id="$old_field", version=3, personal=True)
    filtered = {"kind": "order", "name": FILTERED, "value_schema": text, "filterable": True}
    yield step("admin", "create_custom_field", {"field": "custom_field.id"}, **filtered)
    address = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
    values = {FILTERED: "4711"}
    yield step("admin", "create_order", {"filled": "order.id"}, consignee=address, custom_fields=values)
    yield step("admin", "update_order_custom_fields", order_id="$filled", custom_fields={FILTERED: "4712"})
