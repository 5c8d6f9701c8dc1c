"""Examples: one valid request for each operation, in modules `examples.py` beside the tests of its context.

A text such as `"$order_id"`, at any depth, stands for the id of that name.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

CONTEXTS = Path(__file__).parents[1] / "contexts"
Example = Mapping[str, object]


def tables() -> Iterator[tuple[str, Mapping[str, Example]]]:
    """Every table of examples, with the name of its context."""
    for path in sorted(CONTEXTS.rglob("examples.py")):
        parts = path.relative_to(CONTEXTS).with_suffix("").parts
        yield parts[0], import_module(".".join(["tests", "contexts", *parts])).EXAMPLES


@cache
def examples() -> Mapping[str, Example]:
    """The example of each operation."""
    return {name: example for _, table in tables() for name, example in table.items()}


def fill_placeholders(value: Any, known: Mapping[str, Any]) -> Any:
    """The value with each placeholder replaced by what is known under its name, or by 1 where nothing is."""
    if isinstance(value, str) and value.startswith("$"):
        return known.get(value[1:], 1)
    if isinstance(value, Mapping):
        return {name: fill_placeholders(each, known) for name, each in value.items()}
    if isinstance(value, list):
        return [fill_placeholders(each, known) for each in value]
    return value
