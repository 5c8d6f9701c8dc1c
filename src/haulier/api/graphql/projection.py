"""Projections of records, compiled once per document.

The library calls a resolver, builds a path and checks a type for every field of every record, which dominates the time
of a large page (docs/decisions/interfaces.md). Answers are complete and typed, so nothing below an operation's field
has to be resolved. The library still handles arguments, variables, errors and fragments.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from graphql import (
    Executor,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLUnionType,
    get_argument_values,
)
from graphql.execution.collect_fields import FieldDetails, FieldDetailsList
from graphql.pyutils import Path
from msgspec import UNSET

from haulier.api.graphql.variables import OperationVariables

Projection = Callable[[Any], Any]
Projections = dict[tuple[Any, ...], Projection]
"""Projections by record type and the ids of the nodes that select it."""
OPERATION, ATTRIBUTE, MAYBE_ABSENT = "operation", "attribute", "maybe_absent"
"""Extensions of a field: its operation, or its record attribute and whether that can be unset."""


class RecordExecutor(Executor[Any]):
    """Executor that projects the answer of an operation in one step."""

    def __init__(
        self,
        *arguments: Any,
        projections: Projections,
        variables: OperationVariables | None = None,
        **options: Any,
    ) -> None:
        """Create an executor.

        `projections` are cached with the document, unless its selection depends on variables. `variables` are the known
        variables of the operation.
        """
        super().__init__(*arguments, **options)
        self._projections = projections
        self._variables = variables

    def execute_field(
        self,
        parent_type: GraphQLObjectType,
        source: Any,
        field_details_list: FieldDetailsList,
        path: Path,
        position_context: Any,
    ) -> Any:
        """Call an operation and project its answer.

        The library handles other fields, such as introspection.
        """
        field = parent_type.fields.get(field_details_list[0].node.name.value)
        if field is None or OPERATION not in field.extensions:
            return super().execute_field(parent_type, source, field_details_list, path, position_context)
        return self._request_operation(parent_type, field, field_details_list, path)

    async def _request_operation(
        self, parent: GraphQLObjectType, field: GraphQLField, selected_by: FieldDetailsList, path: Path
    ) -> Any:
        nodes = [details.node for details in selected_by]
        try:
            arguments = self._arguments(field, selected_by[0])
            assert field.resolve
            answer = await field.resolve(None, self.build_resolve_info(field, nodes, parent, path), **arguments)
            return self._projection_for(field.type, selected_by)(answer)
        except Exception as error:
            self.handle_field_error(error, field.type, selected_by, path)

    def _arguments(self, field: GraphQLField, selected: FieldDetails) -> dict[str, Any]:
        fragment_values = selected.fragment_variable_values
        if self._variables and fragment_values is None:
            arguments = self._variables.arguments(field, selected.node, self.variable_values.coerced)
            if arguments is not None:
                return arguments
        return get_argument_values(field, selected.node, self.variable_values, fragment_values, self.hide_suggestions)

    def _projection_for(self, kind: Any, selected_by: FieldDetailsList) -> Projection:
        key = (kind.name, *(id(details.node) for details in selected_by))
        projection = self._projections.get(key)
        if projection is None:
            projection = self._projections[key] = self._record_projection(kind, selected_by)
        return projection

    def _record_projection(self, kind: GraphQLObjectType, selected_by: FieldDetailsList) -> Projection:
        attributes: dict[str, str] = {}
        conversions: list[tuple[str, Projection]] = []
        for name, inner in self.collect_subfields(kind, selected_by)[0].items():
            if inner[0].node.name.value == "__typename":
                attributes[name] = "__class__"
                conversions.append((name, lambda _: kind.name))
                continue
            field = kind.fields[inner[0].node.name.value]
            attributes[name] = field.extensions[ATTRIBUTE]
            if conversion := self._conversion(field.type, inner, maybe_absent=field.extensions[MAYBE_ABSENT]):
                conversions.append((name, conversion))
        return _record_reader(attributes, conversions)

    def _conversion(self, kind: Any, selected_by: FieldDetailsList, *, maybe_absent: bool = False) -> Projection | None:
        """Return the conversion for a type; None if values are unchanged."""
        inner = self._value_conversion(kind.of_type if isinstance(kind, GraphQLNonNull) else kind, selected_by)
        if inner is not None:
            return lambda value: None if value is None or value is UNSET else inner(value)
        return (lambda value: None if value is UNSET else value) if maybe_absent else None

    def _value_conversion(self, kind: Any, selected_by: FieldDetailsList) -> Projection | None:
        if isinstance(kind, GraphQLList):
            item = self._conversion(kind.of_type, selected_by)
            return item and (lambda values: list(map(item, values)))
        if isinstance(kind, GraphQLUnionType):
            by_name = {each.name: self._record_projection(each, selected_by) for each in kind.types}
            return lambda value: by_name[type(value).__name__](value)
        return self._record_projection(kind, selected_by) if isinstance(kind, GraphQLObjectType) else None


def _record_reader(attributes: Mapping[str, str], conversions: Sequence[tuple[str, Projection]]) -> Projection:
    """Return a function that reads attributes of a record into a dict."""
    names, first = tuple(attributes), next(iter(attributes.values()))
    read = attrgetter(*attributes.values()) if len(names) > 1 else lambda record: (getattr(record, first),)

    def project(record: Any) -> dict[str, Any]:
        values = dict(zip(names, read(record), strict=True))
        for name, convert in conversions:
            values[name] = convert(values[name])
        return values

    return project
