"""Scalars that GraphQL lacks. Values look as they do at the other doors."""

from datetime import date, datetime
from typing import Any

import msgspec
from graphql import GraphQLError, GraphQLScalarType, ValueNode, value_from_ast_untyped

from haulier.kernel import codec

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
_LONG_MAX = 2**63


def whole_number(low: Any, high: Any) -> bool:
    """Whether numbers between these bounds fit GraphQL's own Int."""
    return isinstance(high, int) and high <= INT_MAX and isinstance(low, int) and low >= INT_MIN


def _long(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and -_LONG_MAX <= value < _LONG_MAX:
        return value
    raise GraphQLError("A whole number of at most 64 bits is expected.")


def _moment(value: Any) -> str:
    if isinstance(value, date | datetime):
        return msgspec.to_builtins(value)
    raise GraphQLError("A date or time is expected.")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise GraphQLError("A text is expected.")


def _json_literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    return value_from_ast_untyped(node, variables)


LONG = GraphQLScalarType("Long", description="A whole number of up to 64 bits.", serialize=_long, parse_value=_long)
DATE_TIME = GraphQLScalarType(
    "DateTime", description="A date and time with offset, ISO 8601.", serialize=_moment, parse_value=_text
)
DATE = GraphQLScalarType("Date", description="A date, YYYY-MM-DD.", serialize=_moment, parse_value=_text)
JSON = GraphQLScalarType(
    "JSON",
    description="A document whose fields are not known beforehand.",
    serialize=codec.plain,
    parse_value=lambda value: value,
    parse_literal=_json_literal,
)
