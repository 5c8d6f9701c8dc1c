"""GraphQL output types, derived from the types of answers."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from graphql import (
    GraphQLBoolean,
    GraphQLField,
    GraphQLFloat,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
    GraphQLUnionType,
)
from msgspec import UnsetType, inspect

from haulier.api.graphql.enums import GraphQLEnums, type_name_of
from haulier.api.graphql.inputs import described_field
from haulier.api.graphql.projection import ATTRIBUTE, MAYBE_ABSENT
from haulier.api.graphql.scalars import DATE, DATE_TIME, JSON, LONG, fits_graphql_int
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.ids import reference_note
from haulier.kernel.operations.resources import ResourceIndex

_SCALARS: dict[type[inspect.Type], Any] = {
    inspect.StrType: GraphQLString,
    inspect.FloatType: GraphQLFloat,
    inspect.BoolType: GraphQLBoolean,
    inspect.DateTimeType: DATE_TIME,
    inspect.DateType: DATE,
}


class GraphQLOutputs:
    """GraphQL object types by record type."""

    def __init__(self, enums: GraphQLEnums, answers: Iterable[type[Answer]], nouns: ResourceIndex) -> None:
        """Inspect all `answers` together, so that shared types are inspected once."""
        self._enums, self._nouns = enums, nouns
        self._made: dict[type, GraphQLObjectType] = {}
        described = inspect.multi_type_info(set(answers))
        self._described = {info.cls: info for info in described if isinstance(info, inspect.StructType)}

    def of(self, kind: type[Answer]) -> GraphQLObjectType:
        """Return the output type of an answer."""
        return self._record(self._described[kind])

    def _record(self, info: inspect.StructType) -> GraphQLObjectType:
        if info.cls not in self._made:
            name = info.cls.__name__
            # msgspec's type information omits that a field can be unset, so read the annotations.
            absent = {field for field, hint in get_type_hints(info.cls).items() if UnsetType in get_args(hint)}
            marked = get_type_hints(info.cls, include_extras=True)
            self._made[info.cls] = GraphQLObjectType(
                name,
                fields=lambda: {
                    field.encode_name: self._field(name, field, marked[field.name], maybe_absent=field.name in absent)
                    for field in info.fields
                },
                description=(info.cls.__doc__ or "").strip() or None,
            )
        return self._made[info.cls]

    def _field(self, record: str, field: inspect.Field, hint: Any, *, maybe_absent: bool) -> GraphQLField:
        described = (field.type.extra_json_schema if isinstance(field.type, inspect.Metadata) else None) or {}
        noted = {**described, **reference_note(hint)}
        kind: Any = self._type(field.type, type_name_of(record, field.name))
        if maybe_absent and isinstance(kind, GraphQLNonNull):
            kind = kind.of_type
        return GraphQLField(
            kind,
            description=described_field(self._nouns, field.encode_name, noted),
            extensions={ATTRIBUTE: field.name, MAYBE_ABSENT: maybe_absent},
        )

    def _type(self, info: inspect.Type, name: str) -> Any:
        """Return a type with its nullability; `name` is for anonymous types."""
        if isinstance(info, inspect.Metadata):
            return self._type(info.type, name)
        if not isinstance(info, inspect.UnionType):
            return GraphQLNonNull(self._bare(info, name))
        named = [part for part in info.types if not isinstance(part, inspect.NoneType)]
        bare = self._bare(named[0], name) if len(named) == 1 else self._union(named, name)
        return bare if len(named) < len(info.types) else GraphQLNonNull(bare)

    def _union(self, parts: list[inspect.Type], name: str) -> Any:
        records = [part for part in parts if isinstance(part, inspect.StructType)]
        if len(records) < len(parts):
            return JSON
        kinds = {part.cls: self._record(part) for part in records}
        return GraphQLUnionType(name, list(kinds.values()), resolve_type=lambda value, *_: kinds[type(value)].name)

    def _bare(self, info: inspect.Type, name: str) -> Any:
        match info:
            case inspect.Metadata():
                return self._bare(info.type, name)
            case inspect.StructType():
                return self._record(info)
            case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType():
                return GraphQLList(self._type(info.item_type, name))
            case inspect.IntType():
                low, high = (info.ge if info.ge is not None else info.gt), (info.le if info.le is not None else info.lt)
                return GraphQLInt if fits_graphql_int(low, high) else LONG
            case inspect.EnumType() if issubclass(info.cls, StrEnum):
                return self._enums.of(info.cls.__name__, [member.value for member in info.cls])
            case inspect.EnumType() | inspect.LiteralType():
                return self._listed(info, name)
            case _:
                return _SCALARS.get(type(info), JSON)

    def _listed(self, info: inspect.EnumType | inspect.LiteralType, name: str) -> Any:
        values: list[Any] = (
            [member.value for member in info.cls] if isinstance(info, inspect.EnumType) else [*info.values]
        )
        if all(isinstance(value, int) for value in values):
            return GraphQLInt if fits_graphql_int(min(values), max(values)) else LONG
        if isinstance(info, inspect.LiteralType) and all(isinstance(value, str) for value in values):
            return self._enums.of(name, values)
        return JSON
