"""The type of the steps of the dry-run day, and shared places and pictures."""

from collections.abc import Callable
from typing import Any, NamedTuple

from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64

Known = dict[str, Any]
THERE = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}
PHOTO = {"content": EXAMPLE_PNG_BASE64, "media_type": "image/png", "name": "photo.png"}
ELSEWHERE = {**THERE, "address": "1 King St E", "lat": 43.66}


class Step(NamedTuple):
    """One write. `brings` maps names to the parts of its answer that later steps use."""

    who: str | None
    operation: str
    asked: Callable[[Known], dict[str, Any]]
    brings: dict[str, str] = {}


def step(who: str | None, operation: str, brings: dict[str, str] | None = None, **fixed: Any) -> Step:
    """Return a step with fixed values; a text beginning with `$` names a known value."""
    return Step(
        who, operation, lambda known: {name: _value(value, known) for name, value in fixed.items()}, brings or {}
    )


def _value(value: Any, known: Known) -> Any:
    if isinstance(value, list):
        return [_value(each, known) for each in value]
    if isinstance(value, dict):
        return {name: _value(each, known) for name, each in value.items()}
    return known[value[1:]] if isinstance(value, str) and value.startswith("$") else value
