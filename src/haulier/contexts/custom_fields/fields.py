"""Types of request fields that speak of custom fields, for every context whose records have some."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from pydantic.fields import FieldInfo

from haulier.kernel.operations.answers import doc
from haulier.kernel.operations.fields import NO_NUL, OWN_FIELDS_OF

MAX_FIELDS = 50
"""So many fields may records of one kind have."""
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
"""What a list is filtered by: `name:value`, `name>=value` or `name<=value`."""


def values_of(kind: Literal["order", "package", "customer", "driver", "product"]) -> FieldInfo:
    """Say in a contract whose fields `FieldValues` are: forms ask for each of them, and programs know where they are listed."""
    return Field(json_schema_extra={OWN_FIELDS_OF: kind})


ShownValues = Annotated[dict[str, Any], doc("Values of the client's own fields, as far as the caller may see them.")]
