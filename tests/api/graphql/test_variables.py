"""Variables are read as by the reference library, for every input type and call."""

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    OperationDefinitionNode,
    get_argument_values,
    parse,
)
from graphql.execution.values import VariableValues, get_variable_values
from tests.api.graphql.graphql_client import GraphQLClient

from haulier.api.graphql.schema import build_schema
from haulier.api.graphql.variables import InputReaders, OperationVariables
from haulier.app import registry
from haulier.kernel.application import Application
from haulier.kernel.operations import codec

SAMPLES = {"Int": 7, "Long": 2**40, "Float": 1.5, "Boolean": True}
ODD = (None, True, 7, 2**70, 7.0, 1.5, "no such word", [], [None], ["x", 7], {}, {"no such field": 1})
Place = tuple[Any, ...]


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(registry())


def sample_of(kind: Any) -> Any:
    """A value of a type, with every field of every record."""
    if isinstance(kind, GraphQLNonNull):
        return sample_of(kind.of_type)
    if isinstance(kind, GraphQLList):
        return [sample_of(kind.of_type)] * 2
    if isinstance(kind, GraphQLInputObjectType):
        return {name: sample_of(field.type) for name, field in reversed(kind.fields.items())}
    return next(iter(kind.values)) if isinstance(kind, GraphQLEnumType) else SAMPLES.get(kind.name, "a text")


def places_in(value: Any, path: Place = ()) -> Iterator[Place]:
    """Return the paths of a value, its members and their members; of a list the first."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, member in members:
        yield from places_in(member, (*path, name))


def with_odd_value(value: Any, path: Place, odd: Any) -> Any:
    """The same value with another one at a place."""
    if not path:
        return odd
    name, *rest = path
    changed = with_odd_value(value[name], tuple(rest), odd)
    return {**value, name: changed} if isinstance(value, dict) else [changed, *value[1:]]


def without_member(value: Any, path: Place) -> Any:
    """The same value without the member of a record."""
    name, *rest = path
    if rest:
        return with_odd_value(value, (name,), without_member(value[name], tuple(rest)))
    return {each: member for each, member in value.items() if each != name}


def variants_of(value: Any) -> Iterator[Any]:
    """A value, and each place in it with each odd value, and left out."""
    yield value
    for path in places_in(value):
        yield from (with_odd_value(value, path, odd) for odd in ODD)
        if path and isinstance(path[-1], str):
            yield without_member(value, path)


def read_both_ways(
    schema: GraphQLSchema, variables: OperationVariables, operation: OperationDefinitionNode, given: dict[str, Any]
) -> tuple[Any, Any]:
    """Return the values read by Haulier and by the library in comparable form.

    Names keep their order; None stands for an error in both.
    """
    ours = variables.read(given)
    theirs = get_variable_values(schema, operation.variable_definitions or (), given)
    return ours and comparable(ours), None if isinstance(theirs, list) else comparable(theirs)


def comparable(values: VariableValues) -> Any:
    sources = [(name, str(each.signature.type), repr(each.value)) for name, each in values.sources.items()]
    return codec.encode_json(values.coerced), sources


def fields_of(schema: GraphQLSchema) -> Iterator[tuple[str, str, Any]]:
    for kind, parent in (("query", schema.query_type), ("mutation", schema.mutation_type)):
        assert parent
        yield from ((kind, name, field) for name, field in parent.fields.items())


def the_operation(text: str) -> OperationDefinitionNode:
    (operation,) = parse(text).definitions
    assert isinstance(operation, OperationDefinitionNode)
    return operation


def test_every_input_type_reads_values_like_the_library_or_delegates_to_it(schema: GraphQLSchema) -> None:
    kinds = {str(argument.type): argument.type for _, _, field in fields_of(schema) for argument in field.args.values()}
    readers, wrong = InputReaders(), []
    for name, kind in kinds.items():
        operation = the_operation(f"query($v: {name}) {{ f }}")
        variables = OperationVariables(readers, schema, operation)
        for value in variants_of(sample_of(kind)):
            ours, theirs = read_both_ways(schema, variables, operation, {"v": value})
            if ours is not None and ours != theirs:
                wrong.append((name, value))
    assert wrong == []


def test_every_operation_gets_the_same_arguments_as_from_the_library(schema: GraphQLSchema) -> None:
    readers, wrong = InputReaders(), []
    for kind, name, field in fields_of(schema):
        declared = ", ".join(f"${each}: {argument.type}" for each, argument in field.args.items())
        passed = ", ".join(f"{each}: ${each}" for each in reversed(field.args))
        head, arguments = (f"({declared})", f"({passed})") if declared else ("", "")
        operation = the_operation(f"{kind}{head} {{ {name}{arguments} }}")
        node: Any = operation.selection_set.selections[0]
        variables = OperationVariables(readers, schema, operation)
        whole = {each: sample_of(argument.type) for each, argument in field.args.items()}
        least = {
            each: whole[each] for each, argument in field.args.items() if isinstance(argument.type, GraphQLNonNull)
        }
        for given in (whole, least):
            ours, theirs = read_both_ways(schema, variables, operation, given)
            read = variables.read(given)
            found = read and variables.arguments(field, node, read.coerced)
            if ours is None or ours != theirs or found is None or read is None:
                wrong.append((name, given))
            elif codec.encode_json(found) != codec.encode_json(get_argument_values(field, node, read)):
                wrong.append((name, found))
    assert wrong == []


def test_an_incomplete_variable_is_delegated_to_the_library(schema: GraphQLSchema) -> None:
    assert schema.query_type
    field = schema.query_type.fields["order"]
    operation = the_operation("query($id: Long = 5) { order(order_id: $id) { result } }")
    node: Any = operation.selection_set.selections[0]
    variables = OperationVariables(InputReaders(), schema, operation)
    assert variables.read({}) is None
    read = variables.read({"id": None})
    assert read
    assert variables.arguments(field, node, read.coerced) is None
    with pytest.raises(GraphQLError):
        get_argument_values(field, node, read)


PLACE = {"street": "Rue 1", "floor": -2}
SEND = """query Look { parcels { total } }
mutation Send($to: PlaceInput!, $weight: Long! = 3, $speed: Speed, $notes: [String!], $floor: Int) {
    sendParcel(to: $to, weight_g: $weight, speed: $speed, notes: $notes) { told }
    other: sendParcel(to: {street: "x", floor: $floor}, weight_g: 4, speed: $speed) { told } }"""
GIVEN: tuple[dict[str, Any] | None, ...] = (
    {"to": PLACE},
    {"to": PLACE, "weight": None},
    {"to": PLACE, "speed": None, "notes": None, "floor": 5},
    {"to": PLACE, "speed": "warp"},
    {"to": {"street": 5, "cellar": 1}, "weight": "heavy", "floor": 1.5},
    {"to": PLACE, "notes": "one", "unknown": 1},
    {"to": PLACE, "notes": ["one", None]},
    {"to": None},
    {},
    None,
)


@pytest.mark.parametrize("name", ["Send", None, "Nothing"])
@pytest.mark.parametrize("given", GIVEN, ids=str)
async def test_a_cached_document_is_answered_like_a_new_one(
    application: Application, given: dict[str, Any] | None, name: str | None
) -> None:
    new, before = GraphQLClient(application), GraphQLClient(application)
    for operation in ("Send", "Look"):
        good = {"to": PLACE, "weight": 5, "speed": "fast", "notes": ["a"], "floor": 1}
        await before.data(SEND, variables=good, operationName=operation)
    headers = {"x-request-id": "r-1"}
    answers = [
        await each.ask(SEND, headers=headers, variables=given, operationName=name) for each in (new, before, before)
    ]
    assert answers[0].status_code in (200, 400)
    assert {(each.status_code, each.content) for each in answers} == {(answers[0].status_code, answers[0].content)}
