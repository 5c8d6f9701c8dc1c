"""GraphQL enums, shared by input and output types.

The name of a GraphQL enum value is its wire value. A list with values that are not valid names (`orders:read`) remains
a String, and a list of numbers remains numeric, so that values are the same in every interface.
"""

import re
from collections.abc import Sequence
from typing import Any

from graphql import GraphQLEnumType, GraphQLEnumValue, GraphQLString

from haulier.kernel.i18n.choices import choice_name
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, Catalogues
from haulier.kernel.operations.declaration import IncompleteDeclaration

_NAME = re.compile(r"[_A-Za-z][_A-Za-z0-9]*")
_RESERVED = {"true", "false", "null"}


class GraphQLEnums:
    """GraphQL enum types by name. Two different enums can't share a name."""

    def __init__(self) -> None:
        self._made: dict[str, GraphQLEnumType] = {}
        self._catalogues = Catalogues()

    def of(self, name: str, values: Sequence[str]) -> Any:
        """Return the enum for these values, or String if a value is not a valid name."""
        if not all(_NAME.fullmatch(value) and value not in _RESERVED and value[:2] != "__" for value in values):
            return GraphQLString
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = GraphQLEnumType(name, {value: self._value(value) for value in values})
        elif set(made.values) != set(values):
            raise IncompleteDeclaration(f"two different enums are called {name!r}")
        return made

    def _value(self, value: str) -> GraphQLEnumValue:
        return GraphQLEnumValue(value, description=choice_name(self._catalogues, DEFAULT_LANGUAGE, value))


def type_name_of(*parts: str) -> str:
    """Return the name of an anonymous type.

    `("ListOrders", "sort_by")` becomes `ListOrdersSortBy`.
    """
    return "".join(word[:1].upper() + word[1:] for part in parts for word in part.split("_"))
