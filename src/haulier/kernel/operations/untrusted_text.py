"""Text written by third parties, which agents must not treat as instructions."""

from collections.abc import Iterator, Mapping
from typing import Any

UNTRUSTED_FIELDS = frozenset(
    {
        "access_notes",
        "address",
        "block_reason",
        "city",
        "client_name",
        "cod_reason",
        "company",
        "consignee_city",
        "consignee_name",
        "comment",
        "contents",
        "delivery_instruction",
        "description",
        "device",
        "emergency_phone",
        "exception_reason",
        "failure_text",
        "fault",
        "firmware",
        "gate_code",
        "identity_checked",
        "instruction",
        "instructions",
        "label",
        "label_text",
        "lease_ref",
        "left_at",
        "location",
        "name",
        "neighbour",
        "network",
        "note",
        "notes",
        "number",
        "order_ref",
        "outcome",
        "plate",
        "purchase_order",
        "rating_comment",
        "reason",
        "recipient",
        "ref",
        "reference",
        "references",
        "region",
        "response",
        "review_note",
        "service_name",
        "shipment_ref",
        "shipout_ref",
        "skills",
        "sku",
        "summary",
        "test_fault",
        "text",
        "title",
        "travel_reference",
        "traveller_name",
        "unit",
        "vehicle",
        "zones",
    }
)
"""Answer members that customers, contractors, drivers, carriers or the public can write freely."""
Schema = Mapping[str, Any]


def untrusted_paths(schema: Schema) -> list[str]:
    """Return the paths of third-party text in an answer's JSON Schema.

    A path looks like `orders[].note`. Free-form maps are included.
    """
    return list(dict.fromkeys(_paths(schema, schema.get("$defs", {}), "", ())))


def _paths(schema: Schema, definitions: Mapping[str, Schema], path: str, inside: tuple[str, ...]) -> Iterator[str]:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name not in inside:
            yield from _paths(definitions[name], definitions, path, (*inside, name))
        return
    for option in (part for key in ("anyOf", "oneOf", "allOf") for part in schema.get(key, ())):
        yield from _paths(option, definitions, path, inside)
    if "items" in schema:
        yield from _paths(schema["items"], definitions, f"{path}[]", inside)
    elif schema.get("type") == "array":
        yield f"{path}[]"
    elif _is_untrusted(schema, path):
        yield path
    for name, member in schema.get("properties", {}).items():
        yield from _paths(member, definitions, f"{path}.{name}".removeprefix("."), inside)


def _is_untrusted(schema: Schema, path: str) -> bool:
    types = schema.get("type", "")
    if "object" in types or not schema.keys() & {"type", "enum", "const", "anyOf", "oneOf", "allOf"}:
        return bool(path) and "properties" not in schema  # a free-form map or value
    return "string" in types and not schema.keys() & {"enum", "format"} and _field(path) in UNTRUSTED_FIELDS


def _field(path: str) -> str:
    return path.rsplit(".", 1)[-1].removesuffix("[]")
