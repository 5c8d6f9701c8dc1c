"""Enums, shared by input and output types: a closed list of texts becomes a real enum where GraphQL can spell its values.

The name of a GraphQL enum value is what goes over the wire, so a list with values that are no GraphQL names (`orders:read`)
stays a String: the same word must mean the same at every door. Lists of numbers stay numbers for the same reason.
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
    """GraphQL enum types by name. Two different lists under one name are refused."""

    def __init__(self) -> None:
        self._made: dict[str, GraphQLEnumType] = {}
        self._catalogues = Catalogues()

    def of(self, name: str, values: Sequence[str]) -> Any:
        """The enum of these values, or String where one of them cannot be spelled."""
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
    """The name of a type that has none of its own: `("ListOrders", "sort_by")` is `ListOrdersSortBy`."""
    return "".join(word[:1].upper() + word[1:] for part in parts for word in part.split("_"))
