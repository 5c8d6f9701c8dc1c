"""Variables of an operation: how each is read by its type, and which arguments they become, worked out once for a document.

The library works out types and signatures anew at each call, for every variable and argument, given or not
(docs/decisions/interfaces.md). What does not fit and what is rare goes the library's way, which has the words for
it. Our input types have neither defaults nor names of their own.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    OperationDefinitionNode,
    VariableNode,
)
from graphql.execution.get_variable_signature import GraphQLVariableSignature, get_variable_signature
from graphql.execution.values import VariableValues, VariableValueSource

Read = Callable[[Any], Any]
Values = Mapping[str, Any]


class LeftToTheLibrary(Exception):
    """A value that does not fit, or fits in a way that is rare."""


class InputReaders:
    """How values of the input types of one schema are read. Each reader raises some exception where the library should read."""

    def __init__(self) -> None:
        self._records: dict[str, Read] = {}

    def of(self, kind: Any) -> Read:
        """The reader of a type."""
        if isinstance(kind, GraphQLNonNull):
            return _required(self._value(kind.of_type))
        read = self._value(kind)
        return lambda value: None if value is None else read(value)

    def _value(self, kind: Any) -> Read:
        if isinstance(kind, GraphQLList):
            return _list_of(self.of(kind.of_type))
        if isinstance(kind, GraphQLInputObjectType):
            return self._record(kind)
        return kind.coerce_input_value

    def _record(self, kind: GraphQLInputObjectType) -> Read:
        if kind.name not in self._records:
            self._records[kind.name] = _refuse  # Why: the library counts how deep a record is within itself
            self._records[kind.name] = _record_of(
                {name: self.of(field.type) for name, field in kind.fields.items()},
                {name for name, field in kind.fields.items() if isinstance(field.type, GraphQLNonNull)},
            )
        return self._records[kind.name]


def _refuse(_: Any) -> Any:
    raise LeftToTheLibrary


def _required(read: Read) -> Read:
    return lambda value: _refuse(value) if value is None else read(value)


def _list_of(read: Read) -> Read:
    return lambda values: list(map(read, values)) if isinstance(values, list) else _refuse(values)


def _record_of(fields: Mapping[str, Read], needed: set[str]) -> Read:
    known = fields.keys()

    def read_record(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or not needed <= value.keys() <= known:
            raise LeftToTheLibrary
        return {name: read(value[name]) for name, read in fields.items() if name in value}

    return read_record


class PassedVariable(NamedTuple):
    """An argument whose value is a variable."""

    argument: str
    variable: str
    needed: bool


class OperationVariables:
    """The variables of an operation of a valid document."""

    def __init__(self, readers: InputReaders, schema: GraphQLSchema, operation: OperationDefinitionNode) -> None:
        signatures = (get_variable_signature(schema, node) for node in operation.variable_definitions or ())
        self._signatures = {each.name: each for each in signatures if isinstance(each, GraphQLVariableSignature)}
        self._readers = {name: readers.of(signature.type) for name, signature in self._signatures.items()}
        self._needed = {
            name for name, each in self._signatures.items() if each.default or isinstance(each.type, GraphQLNonNull)
        }
        self._absent = {name: VariableValueSource(signature) for name, signature in self._signatures.items()}
        self._passed: dict[int, list[PassedVariable] | None] = {}

    def read(self, given: Values) -> VariableValues | None:
        """The values of the variables; None where the library has to read them, or to say why it cannot."""
        if not self._needed <= given.keys():
            return None
        try:
            values = {name: read(given[name]) for name, read in self._readers.items() if name in given}
        except Exception:
            return None
        sources = {name: VariableValueSource(self._signatures[name], given[name]) for name in values}
        return VariableValues(self._absent | sources, values)

    def arguments(self, field: GraphQLField, node: FieldNode, values: Values) -> dict[str, Any] | None:
        """The arguments of a field of the operation; None where not all are variables, or one lacks a value that it needs."""
        if id(node) not in self._passed:
            self._passed[id(node)] = _passed_variables(field, node)
        passed = self._passed[id(node)]
        if passed is None or any(each.needed and values.get(each.variable) is None for each in passed):
            return None
        return {each.argument: values[each.variable] for each in passed if each.variable in values}


def _passed_variables(field: GraphQLField, node: FieldNode) -> list[PassedVariable] | None:
    """The arguments of a field in its own order; None where one is no variable."""
    given = {argument.name.value: argument.value for argument in node.arguments or ()}
    passed = [
        PassedVariable(name, value.name.value, isinstance(argument.type, GraphQLNonNull))
        for name, argument in field.args.items()
        if isinstance(value := given.get(name), VariableNode)
    ]
    return passed if len(passed) == len(given) else None
