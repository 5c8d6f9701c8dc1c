"""Variable coercion, prepared once per document.

The library derives types and signatures at each call, for every variable and argument (docs/decisions/interfaces.md).
Invalid and unusual values are left to the library, which reports the errors. Our input types have no defaults and no
renamed fields.
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
    """Raised for an invalid or unusual value, which the library has to coerce."""


class InputReaders:
    """Readers for the input types of a schema.

    A reader raises any exception to leave a value to the library.
    """

    def __init__(self) -> None:
        self._records: dict[str, Read] = {}

    def of(self, kind: Any) -> Read:
        """Return the reader of a type."""
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
            self._records[kind.name] = _reject  # leave recursive records to the library, which limits their depth
            self._records[kind.name] = _record_of(
                {name: self.of(field.type) for name, field in kind.fields.items()},
                {name for name, field in kind.fields.items() if isinstance(field.type, GraphQLNonNull)},
            )
        return self._records[kind.name]


def _reject(_: Any) -> Any:
    raise LeftToTheLibrary


def _required(read: Read) -> Read:
    return lambda value: _reject(value) if value is None else read(value)


def _list_of(read: Read) -> Read:
    return lambda values: list(map(read, values)) if isinstance(values, list) else _reject(values)


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
    """The variables of one operation of a valid document."""

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
        """Return the variable values; None to leave coercion and errors to the library."""
        if not self._needed <= given.keys():
            return None
        try:
            values = {name: read(given[name]) for name, read in self._readers.items() if name in given}
        except Exception:
            return None
        sources = {name: VariableValueSource(self._signatures[name], given[name]) for name in values}
        return VariableValues(self._absent | sources, values)

    def arguments(self, field: GraphQLField, node: FieldNode, values: Values) -> dict[str, Any] | None:
        """Return the arguments of a field from the variables.

        Returns None if an argument is not a variable, or if a required value is missing.
        """
        if id(node) not in self._passed:
            self._passed[id(node)] = _passed_variables(field, node)
        passed = self._passed[id(node)]
        if passed is None or any(each.needed and values.get(each.variable) is None for each in passed):
            return None
        return {each.argument: values[each.variable] for each in passed if each.variable in values}


def _passed_variables(field: GraphQLField, node: FieldNode) -> list[PassedVariable] | None:
    """Return the arguments in declared order; None if one is not a variable."""
    given = {argument.name.value: argument.value for argument in node.arguments or ()}
    passed = [
        PassedVariable(name, value.name.value, isinstance(argument.type, GraphQLNonNull))
        for name, argument in field.args.items()
        if isinstance(value := given.get(name), VariableNode)
    ]
    return passed if len(passed) == len(given) else None
