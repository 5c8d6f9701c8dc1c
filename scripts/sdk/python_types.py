"""Python types of the schemas: typed dictionaries, literals and aliases."""

import json
import keyword
from typing import Any

from scripts.sdk.contract import Contract, Schema, pascal

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
# A field of such a name would hide the type from the fields after it.
HIDING = {"str", "int", "float", "bool", "list", "dict", "t"}
HEAD = '''"""Types of requests and answers. Generated from the contract; do not edit."""

from __future__ import annotations

import typing as t
'''


class PythonTypes:
    """Definitions of all schemas, and expressions that refer to them."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.definitions: dict[str, str] = {}

    def module(self) -> str:
        """Return the module `types`."""
        for name, schema in self.contract.schemas.items():
            self.define(pascal(name), schema)
        return "\n\n".join([HEAD, *(self.definitions[name] for name in sorted(self.definitions))]) + "\n"

    def define(self, name: str, schema: Schema) -> None:
        """Define a named type: a typed dictionary, or an alias."""
        if self.is_record(schema):
            self.definitions[name] = ""  # keeps the name while its fields are defined
            self.definitions[name] = self._record(name, schema)
        else:
            self.definitions[name] = f"{name}: t.TypeAlias = {json.dumps(self.expression(schema, name))}"

    def is_record(self, schema: Schema) -> bool:
        """Return True if a schema is an object with known fields."""
        return bool(schema.get("properties")) and "$ref" not in schema and "anyOf" not in schema

    def _record(self, name: str, schema: Schema) -> str:
        required = set(schema.get("required", ()))
        fields: dict[str, str] = {}
        for key, value in schema["properties"].items():
            expression = self.expression(value, f"{name}{pascal(key)}")
            fields[key] = expression if key in required else f"t.NotRequired[{expression}]"
        if any(not key.isidentifier() or keyword.iskeyword(key) or key in HIDING for key in fields):
            inner = ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())
            return f'{name} = t.TypedDict("{name}", {{{inner}}})'
        lines = [f"class {name}(t.TypedDict):"]
        if text := docstring(schema.get("description", "").split("\n")[0]):
            lines += [f"    {text}", ""]
        lines += [f"    {key}: {value}" for key, value in fields.items()]
        return "\n".join(lines)

    def expression(self, schema: Schema | None, name: str) -> str:
        """Return the type of a schema; inline objects are defined with `name`."""
        if not schema:
            return "t.Any"
        if "$ref" in schema:
            return pascal(schema["$ref"].rsplit("/", 1)[-1])
        if choices := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
            return f"t.Literal[{', '.join(map(_literal, choices))}]"
        for kind in ("anyOf", "oneOf"):
            if kind in schema:
                return self._union([self.expression(each, name) for each in schema[kind]])
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.expression(schema["allOf"][0], name)
        given = schema.get("type")
        kinds: list[str] = given if isinstance(given, list) else [given] if given else []
        return self._union([self._one(kind, schema, name) for kind in kinds]) if kinds else "t.Any"

    def _one(self, kind: str, schema: Schema, name: str) -> str:
        if kind == "array":
            return f"list[{self.expression(schema.get('items'), f'{name}Item')}]"
        if kind == "object":
            if self.is_record(schema):
                self.define(name, schema)
                return name
            values = schema.get("additionalProperties")
            return f"dict[str, {self.expression(values, f'{name}Value') if isinstance(values, dict) else 't.Any'}]"
        return PLAIN[kind]

    def _union(self, parts: list[str]) -> str:
        split = [each for one in parts for each in ([one] if "[" in one else one.split(" | "))]
        kinds = sorted(dict.fromkeys(split), key=lambda each: each == "None")
        return "t.Any" if "t.Any" in kinds else " | ".join(kinds)


def _literal(choice: Any) -> str:
    return json.dumps(choice, ensure_ascii=False) if isinstance(choice, str) else repr(choice)


def docstring(text: str) -> str:
    """Return a docstring of a text on one line, or nothing if it is empty."""
    line = " ".join(text.split()).replace("\\", "\\\\").replace('"', "'")
    return f'"""{line}"""' if line else ""
