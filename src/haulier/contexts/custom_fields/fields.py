"""Types of request fields about custom fields, for all contexts."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from pydantic.fields import FieldInfo

from haulier.kernel.operations.answers import doc
from haulier.kernel.operations.fields import NO_NUL, OWN_FIELDS_OF

MAX_FIELDS = 50
"""Maximum number of fields per kind of record."""
MAX_NAME = 40
MAX_FILTERS = 4

FieldName = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME, pattern=r"^[a-z][a-z0-9_]*$")]
"""The name of a custom field, as values are given under it."""
FieldValues = Annotated[dict[FieldName, Any], Field(max_length=MAX_FIELDS, examples=[{"purchase_order": "4711"}])]
"""Values of custom fields by their names."""
FieldFilters = Annotated[
    list[Annotated[str, StringConstraints(min_length=3, max_length=200, pattern=NO_NUL)]],
    Field(max_length=MAX_FILTERS, examples=[["purchase_order:4711"]]),
]
"""Filters of a list: `name:value`, `name>=value` or `name<=value`."""


def values_of(kind: Literal["order", "package", "customer", "driver", "product"]) -> FieldInfo:
    """Declare in a contract whose fields `FieldValues` are.

    Forms show an input for each of them, and programs know where they are listed.
    """
    return Field(json_schema_extra={OWN_FIELDS_OF: kind})


ShownValues = Annotated[dict[str, Any], doc("Values of custom fields that the caller may see.")]
