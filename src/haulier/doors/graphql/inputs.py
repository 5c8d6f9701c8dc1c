"""Input types: the fields of requests, walked once through their JSON Schema."""

import re
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLFloat,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
)

from haulier.doors.graphql.scalars import DATE, DATE_TIME, JSON, LONG
from haulier.kernel.operation import Request

Schema = dict[str, Any]
_NAME = re.compile(r"[_A-Za-z][_A-Za-z0-9]*")
_RESERVED = {"true", "false", "null"}
INT_MAX = 2**31 - 1


class Inputs:
    """GraphQL input types by name."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def arguments(self, kind: type[Request]) -> dict[str, GraphQLArgument]:
        """The arguments of a field: the fields of the operation's request, under the same names."""
        schema = kind.model_json_schema()
        definitions, required = schema.get("$defs", {}), set(schema.get("required", ()))
        return {
            name: GraphQLArgument(
                self._type(part, definitions, f"{kind.__name__}_{name}", needed=name in required),
                description=part.get("description"),
            )
            for name, part in schema.get("properties", {}).items()
        }

    def _type(self, schema: Schema, definitions: Schema, name: str, *, needed: bool) -> Any:
        parts = schema.get("anyOf") or schema.get("oneOf") or [schema]
        named = [part for part in parts if part.get("type") != "null"]
        bare = self._bare(named[0], definitions, name) if len(named) == 1 else JSON
        return GraphQLNonNull(bare) if needed and len(named) == len(parts) else bare

    def _bare(self, schema: Schema, definitions: Schema, name: str) -> Any:
        if "$ref" in schema:
            target = schema["$ref"].rsplit("/", 1)[1]
            return self._named(target, definitions[target], definitions)
        if "enum" in schema:
            return self._enum(name, schema["enum"])
        match schema.get("type"):
            case "array":
                return GraphQLList(GraphQLNonNull(self._bare(schema.get("items", {}), definitions, name)))
            case "object" if "properties" in schema:
                return self._named(name, schema, definitions)
            case "integer":
                return GraphQLInt if schema.get("maximum", INT_MAX + 1) <= INT_MAX else LONG
            case "number":
                return GraphQLFloat
            case "boolean":
                return GraphQLBoolean
            case "string":
                return {"date-time": DATE_TIME, "date": DATE}.get(schema.get("format", ""), GraphQLString)
            case _:
                return JSON

    def _named(self, name: str, schema: Schema, definitions: Schema) -> Any:
        if "enum" in schema:
            return self._enum(name, schema["enum"])
        if "properties" not in schema:
            return JSON
        key = f"{name}Input"
        if key not in self._made:
            required = set(schema.get("required", ()))
            self._made[key] = GraphQLInputObjectType(
                key,
                fields=lambda: {
                    field: GraphQLInputField(
                        self._type(part, definitions, f"{name}_{field}", needed=field in required),
                        description=part.get("description"),
                    )
                    for field, part in schema["properties"].items()
                },
                description=schema.get("description"),
            )
        return self._made[key]

    def _enum(self, name: str, values: list[Any]) -> Any:
        if not all(isinstance(value, str) and _NAME.fullmatch(value) and value not in _RESERVED for value in values):
            return GraphQLString
        if name not in self._made:
            self._made[name] = GraphQLEnumType(name, {value: value for value in values})
        return self._made[name]
