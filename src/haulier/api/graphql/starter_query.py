"""Starter documents for the fields of Query and Mutation."""

from collections.abc import Iterator
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_required_argument,
    is_required_input_field,
    parse,
)
from msgspec import Struct

from haulier.api.graphql.limits import MAX_COST, MAX_DEPTH, measure_document

LEVELS = (3, 2, 1)
"""Selection depths to try, until one is within the limits of a document."""
FIELDS_MAX = 25
"""Maximum number of scalar fields selected per record."""
LISTED_LEVELS = 2
SAMPLES: dict[str, Any] = {
    "Int": 1,
    "Long": 1,
    "Float": 1.0,
    "Boolean": False,
    "Date": "2026-01-31",
    "DateTime": "2026-01-31T09:00:00Z",
    "JSON": {},
}
"""Sample value by scalar. Other scalars use an empty string."""


class DescribedType(Struct, frozen=True, kw_only=True):
    """An argument or answer field by path, with its GraphQL type."""

    name: str
    type: str
    description: str
    required: bool = False


class StarterQuery(Struct, frozen=True, kw_only=True):
    """A document with sample variables, and the available arguments and fields."""

    document: str
    variables: dict[str, Any]
    description: str
    arguments: list[DescribedType]
    fields: list[DescribedType]


def starter_query(schema: GraphQLSchema, name: str) -> StarterQuery | None:
    """Return the starter document of a field of Query or Mutation, or None."""
    for kind, parent in (("query", schema.query_type), ("mutation", schema.mutation_type)):
        if parent and name in parent.fields:
            field = parent.fields[name]
            return StarterQuery(
                document=_document(schema, kind, name, field),
                variables={each: sample_value(argument.type) for each, argument in _required(field)},
                description=field.description or "",
                arguments=[_described_argument(each, argument) for each, argument in field.args.items()],
                fields=list(_described_fields(field.type)),
            )
    return None


def sample_value(kind: Any) -> Any:
    """Return a sample value for an input type: required fields, first enum value."""
    if isinstance(kind, GraphQLNonNull):
        return sample_value(kind.of_type)
    if isinstance(kind, GraphQLList):
        return [sample_value(kind.of_type)]
    if isinstance(kind, GraphQLEnumType):
        return next(iter(kind.values))
    if isinstance(kind, GraphQLInputObjectType):
        return {name: sample_value(each.type) for name, each in kind.fields.items() if is_required_input_field(each)}
    return SAMPLES.get(str(kind), "")


def _required(field: GraphQLField) -> list[tuple[str, GraphQLArgument]]:
    return [(name, argument) for name, argument in field.args.items() if is_required_argument(argument)]


def _document(schema: GraphQLSchema, kind: str, name: str, field: GraphQLField) -> str:
    """Return the deepest of the documents that is within the limits."""
    documents = [_document_of_depth(kind, name, field, levels) for levels in LEVELS]
    return next((each for each in documents if _is_within_limits(schema, each)), documents[-1])


def _is_within_limits(schema: GraphQLSchema, document: str) -> bool:
    depth, cost = measure_document(schema, parse(document))
    return depth <= MAX_DEPTH and cost <= MAX_COST


def _document_of_depth(kind: str, name: str, field: GraphQLField, levels: int) -> str:
    required = _required(field)
    declared = ", ".join(f"${each}: {argument.type}" for each, argument in required)
    passed = ", ".join(f"{each}: ${each}" for each, _ in required)
    head = f"{kind} {name[:1].upper()}{name[1:]}" + (f"({declared})" if declared else "")
    call = name + (f"({passed})" if passed else "")
    return "\n".join([f"{head} {{", *_selected(call, field.type, levels, "  "), "}"])


def _selected(name: str, kind: Any, levels: int, indent: str) -> list[str]:
    """Return the lines that select a field and its subfields."""
    inner = list(_selection(get_named_type(kind), levels, indent + "  "))
    return [f"{indent}{name} {{", *inner, f"{indent}}}"] if inner else [f"{indent}{name}"]


def _selection(kind: Any, levels: int, indent: str) -> Iterator[str]:
    if isinstance(kind, GraphQLUnionType):
        yield f"{indent}__typename"
        for member in kind.types:
            yield from _selected(f"... on {member.name}", member, levels, indent)
    elif isinstance(kind, GraphQLObjectType):
        yield from _fields_of(kind, levels, indent)


def _fields_of(kind: GraphQLObjectType, levels: int, indent: str) -> Iterator[str]:
    plain = [name for name, field in kind.fields.items() if not _holds_records(field)]
    yield from (f"{indent}{name}" for name in plain[:FIELDS_MAX])
    deeper = {name: field for name, field in kind.fields.items() if _holds_records(field)} if levels > 1 else {}
    for name, field in deeper.items():
        yield from _selected(name, field.type, levels - 1, indent)
    if not plain and not deeper:
        yield f"{indent}__typename"


def _holds_records(field: GraphQLField) -> bool:
    return isinstance(get_named_type(field.type), GraphQLObjectType | GraphQLUnionType)


def _described_argument(name: str, argument: GraphQLArgument) -> DescribedType:
    return DescribedType(
        name=name,
        type=str(argument.type),
        description=argument.description or "",
        required=is_required_argument(argument),
    )


def _described_fields(kind: Any, path: str = "", levels: int = LISTED_LEVELS) -> Iterator[DescribedType]:
    named = get_named_type(kind)
    if not isinstance(named, GraphQLObjectType) or not levels:
        return
    for name, field in named.fields.items():
        yield DescribedType(name=path + name, type=str(field.type), description=field.description or "")
        yield from _described_fields(field.type, f"{path}{name}.", levels - 1)
