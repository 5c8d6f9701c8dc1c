"""GraphQL input types, derived from the JSON Schema of requests."""

from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLFloat,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
)
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from haulier.api.graphql.enums import GraphQLEnums, type_name_of
from haulier.api.graphql.scalars import DATE, DATE_TIME, JSON, LONG, fits_graphql_int
from haulier.kernel.operations.declaration import GraphQL, IncompleteDeclaration, Request
from haulier.kernel.operations.resources import ResourceIndex
from haulier.kernel.operations.schema_notes import noun_referred_to

Schema = dict[str, Any]
_TEXT_SCALARS = {"date-time": DATE_TIME, "date": DATE}


def described_field(nouns: ResourceIndex, name: str, schema: Schema) -> str | None:
    """Return the description of a field, with the query that lists valid ids."""
    description: str | None = schema.get("description")
    noun = nouns.by_key.get(noun_referred_to(nouns, name, schema) or "")
    listed = noun and next(
        (interface.name for interface in noun.listing.interfaces if isinstance(interface, GraphQL)), None
    )
    return f"{description or ''} One of `{listed}`.".strip() if listed else description


class _WithoutDefaults(GenerateJsonSchema):
    """Schema generator that omits defaults and does not sort.

    GraphQL uses neither, and encoding defaults takes a fifth of the time.
    """

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value


class GraphQLInputs:
    """GraphQL input types by name."""

    def __init__(self, enums: GraphQLEnums, nouns: ResourceIndex) -> None:
        self._enums, self._nouns = enums, nouns
        self._records: dict[str, GraphQLInputObjectType] = {}
        self._known: dict[str, Schema] = {}

    def arguments(self, kind: type[Request]) -> dict[str, GraphQLArgument]:
        """Return the arguments of a field, named like the fields of its request.

        Defaults are applied by the request, so that it can distinguish omitted fields.
        """
        schema = kind.model_json_schema(schema_generator=_WithoutDefaults)
        definitions = schema.get("$defs", {})
        self._reject_namesakes(definitions)
        required = set(schema.get("required", ()))
        return {
            name: GraphQLArgument(
                self._type(part, definitions, type_name_of(kind.__name__, name), needed=name in required),
                description=described_field(self._nouns, name, part),
            )
            for name, part in schema.get("properties", {}).items()
        }

    def _reject_namesakes(self, definitions: Schema) -> None:
        for name, definition in definitions.items():
            if self._known.setdefault(name, definition) != definition:
                raise IncompleteDeclaration(f"two different records of requests are called {name!r}")

    def _type(self, schema: Schema, definitions: Schema, name: str, *, needed: bool) -> Any:
        parts = schema.get("anyOf") or schema.get("oneOf") or [schema]
        named = [part for part in parts if part.get("type") != "null"]
        bare = self._bare(named[0], definitions, name) if len(named) == 1 else JSON
        return GraphQLNonNull(bare) if needed and len(named) == len(parts) else bare

    def _bare(self, schema: Schema, definitions: Schema, name: str) -> Any:
        if "$ref" in schema:
            target = schema["$ref"].rsplit("/", 1)[1]
            return self._bare(definitions[target], definitions, target)
        values = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
        if values and all(isinstance(value, str) for value in values):
            return self._enums.of(name, values)
        match schema.get("type"):
            case "array":
                return GraphQLList(self._type(schema.get("items", {}), definitions, name, needed=True))
            case "object" if "properties" in schema:
                return self._record(name, schema, definitions)
            case "integer":
                bounds = values or [schema.get("minimum"), schema.get("maximum")]
                return GraphQLInt if fits_graphql_int(bounds[0], bounds[-1]) else LONG
            case "number":
                return GraphQLFloat
            case "boolean":
                return GraphQLBoolean
            case "string":
                return _TEXT_SCALARS.get(schema.get("format", ""), GraphQLString)
            case _:
                return JSON

    def _record(self, name: str, schema: Schema, definitions: Schema) -> GraphQLInputObjectType:
        if name not in self._records:
            required = set(schema.get("required", ()))
            self._records[name] = GraphQLInputObjectType(
                f"{name}Input",
                fields=lambda: {
                    field: GraphQLInputField(
                        self._type(part, definitions, type_name_of(name, field), needed=field in required),
                        description=described_field(self._nouns, field, part),
                    )
                    for field, part in schema["properties"].items()
                },
                description=schema.get("description"),
            )
        return self._records[name]
