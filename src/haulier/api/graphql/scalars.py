"""Custom GraphQL scalars, with the same wire values as the other interfaces."""

from datetime import date, datetime
from typing import Any

import msgspec
from graphql import GraphQLError, GraphQLScalarType, ValueNode, value_from_ast_untyped

from haulier.kernel.operations import codec

MIN_INT, MAX_INT = -(2**31), 2**31 - 1
_MAX_LONG = 2**63


def fits_graphql_int(low: Any, high: Any) -> bool:
    """Return True if all values between these bounds fit a GraphQL Int."""
    return isinstance(high, int) and high <= MAX_INT and isinstance(low, int) and low >= MIN_INT


def _checked_long(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # same as the built-in Int
    if isinstance(value, int) and not isinstance(value, bool) and -_MAX_LONG <= value < _MAX_LONG:
        return value
    raise GraphQLError("A whole number of at most 64 bits is expected.")


def _serialized_moment(value: Any) -> str:
    if isinstance(value, date | datetime):
        return msgspec.to_builtins(value)
    raise GraphQLError("A date or time is expected.")


def _checked_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise GraphQLError("A text is expected.")


def _parse_json_literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    return value_from_ast_untyped(node, variables)


LONG = GraphQLScalarType(
    "Long", description="A whole number of up to 64 bits.", serialize=_checked_long, parse_value=_checked_long
)
DATE_TIME = GraphQLScalarType(
    "DateTime",
    description="A date and time with offset, ISO 8601.",
    serialize=_serialized_moment,
    parse_value=_checked_text,
)
DATE = GraphQLScalarType(
    "Date", description="A date, YYYY-MM-DD.", serialize=_serialized_moment, parse_value=_checked_text
)
JSON = GraphQLScalarType(
    "JSON",
    description="A document whose fields are not known beforehand.",
    serialize=codec.to_plain_values,
    parse_value=lambda value: value,
    parse_literal=_parse_json_literal,
)
