"""Examples of arguments: contracts give them, or they follow from the schema. No door invents the words of the business."""

import pytest

from haulier.app import registry
from haulier.doors.mcp.schema_examples import add_examples
from haulier.doors.mcp.tools import tool_bindings
from haulier.kernel.operations.enums import McpServer


def test_every_field_of_every_tool_has_an_example_or_derives_one() -> None:
    faults: list[str] = []
    for server in McpServer:
        for tool, operation in tool_bindings(registry(), server):
            try:
                add_examples(operation.request.model_json_schema())
            except ValueError as error:
                faults.append(f"{tool.name} ({operation.request.__name__}): {error}")
    assert faults == []


def test_a_text_without_an_example_is_refused() -> None:
    with pytest.raises(ValueError, match="the field 'name' has no example"):
        add_examples({"properties": {"name": {"type": "string", "maxLength": 10}}})


@pytest.mark.parametrize(
    ("schema", "example"),
    [
        ({"type": "string", "examples": ["Ada"]}, "Ada"),
        ({"type": "string", "default": "standard"}, "standard"),
        ({"type": "string", "enum": ["D", "P"]}, "D"),
        ({"type": "string", "format": "date"}, "2026-06-11"),
        ({"type": "integer", "minimum": 1, "maximum": 100}, 17),
        ({"type": "number", "minimum": 0, "maximum": 1}, 0.5),
        ({"type": "boolean"}, True),
        ({"type": "array", "items": {"const": "a"}, "minItems": 2}, ["a", "a"]),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, 17),
    ],
)
def test_an_example_follows_from_the_schema(schema: dict[str, object], example: object) -> None:
    filled = add_examples({"properties": {"field": schema}})
    assert filled["properties"]["field"]["examples"] == [example]
