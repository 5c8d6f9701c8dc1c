"""Output types: the records of answers, walked once."""

from typing import Any, get_args, get_type_hints

import msgspec
from graphql import (
    GraphQLBoolean,
    GraphQLField,
    GraphQLFloat,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLString,
)
from msgspec import UNSET, UnsetType, inspect

from haulier.doors.graphql.scalars import DATE, DATE_TIME, JSON, LONG
from haulier.kernel.answers import Answer


def resolve(source: Any, info: GraphQLResolveInfo[Any]) -> Any:
    """A field of a record; an absent one is null."""
    value = getattr(source, info.field_name)
    return None if value is UNSET else value


class Outputs:
    """GraphQL object types by record type."""

    def __init__(self) -> None:
        self._made: dict[type, GraphQLObjectType] = {}

    def of(self, kind: type[Answer]) -> Any:
        """The output type of an answer."""
        return self._type(inspect.type_info(kind))

    def _record(self, info: inspect.StructType) -> GraphQLObjectType:
        if info.cls not in self._made:
            # msgspec's own description of a type leaves out that a field may be absent, so its annotation is asked.
            absent = {name for name, hint in get_type_hints(info.cls).items() if UnsetType in get_args(hint)}
            self._made[info.cls] = GraphQLObjectType(
                info.cls.__name__,
                fields=lambda: {
                    field.encode_name: self._field(field, maybe_absent=field.name in absent) for field in info.fields
                },
                description=(info.cls.__doc__ or "").strip() or None,
            )
        return self._made[info.cls]

    def _field(self, field: inspect.Field, *, maybe_absent: bool) -> GraphQLField:
        described = field.type.extra_json_schema if isinstance(field.type, inspect.Metadata) else None
        kind: Any = self._type(field.type)
        if maybe_absent and isinstance(kind, GraphQLNonNull):
            kind = kind.of_type
        return GraphQLField(kind, description=(described or {}).get("description"), resolve=resolve)

    def _type(self, info: inspect.Type) -> Any:
        if isinstance(info, inspect.Metadata):
            return self._type(info.type)
        if isinstance(info, inspect.UnionType):
            return self._nullable(info)
        return GraphQLNonNull(self._bare(info))

    def _nullable(self, info: inspect.UnionType) -> Any:
        named = [part for part in info.types if not isinstance(part, inspect.NoneType)]
        bare = self._bare(named[0]) if len(named) == 1 else JSON
        return bare if len(named) < len(info.types) else GraphQLNonNull(bare)

    def _bare(self, info: inspect.Type) -> Any:
        match info:
            case inspect.Metadata():
                return self._bare(info.type)
            case inspect.StructType():
                return self._record(info)
            case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType():
                return GraphQLList(self._type(info.item_type))
            case _:
                return _LEAVES.get(type(info), JSON)


_LEAVES: dict[type[msgspec.inspect.Type], Any] = {
    inspect.StrType: GraphQLString,
    inspect.LiteralType: GraphQLString,
    inspect.EnumType: GraphQLString,
    inspect.IntType: LONG,
    inspect.FloatType: GraphQLFloat,
    inspect.BoolType: GraphQLBoolean,
    inspect.DateTimeType: DATE_TIME,
    inspect.DateType: DATE,
}
