"""Examples: one valid request per operation.

They are in modules `examples.py` next to the context's tests.

A text such as `"$order_id"`, at any depth, is replaced by the id with that name.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

CONTEXTS = Path(__file__).parents[1] / "contexts"
Example = Mapping[str, object]


def tables() -> Iterator[tuple[str, Mapping[str, Example]]]:
    """Yield every table of examples with its context."""
    for path in sorted(CONTEXTS.rglob("examples.py")):
        parts = path.relative_to(CONTEXTS).with_suffix("").parts
        yield parts[0], import_module(".".join(["tests", "contexts", *parts])).EXAMPLES


@cache
def examples() -> Mapping[str, Example]:
    """Return the example of each operation."""
    return {name: example for _, table in tables() for name, example in table.items()}


def fill_placeholders(value: Any, known: Mapping[str, Any]) -> Any:
    """Replace placeholders by known values, or by 1."""
    if isinstance(value, str) and value.startswith("$"):
        return known.get(value[1:], 1)
    if isinstance(value, Mapping):
        return {name: fill_placeholders(each, known) for name, each in value.items()}
    if isinstance(value, list):
        return [fill_placeholders(each, known) for each in value]
    return value
