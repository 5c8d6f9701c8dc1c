"""Placeholders of ids in the examples of requests, wherever they stand in a document."""

from collections.abc import Mapping
from typing import Any


def fill_placeholders(value: Any, ids: Mapping[str, int] | None = None) -> Any:
    """The value with each text such as `$order_id` replaced by the id of that name, or by 1 where `ids` has none."""
    if isinstance(value, str) and value.startswith("$"):
        return (ids or {}).get(value[1:], 1)
    if isinstance(value, Mapping):
        return {name: fill_placeholders(item, ids) for name, item in value.items()}
    if isinstance(value, list):
        return [fill_placeholders(item, ids) for item in value]
    return value
