"""Request and response models for definitions of custom fields."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET
from pydantic import Field

from haulier.contexts.custom_fields.definitions.rules import ResourceKind
from haulier.contexts.custom_fields.fields import FieldName
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId

FieldAccount = Literal["employee", "contractor", "driver", "customer"]
"""Kinds of account that a field can be opened to. Admins see and write every field."""
Accounts = Annotated[list[FieldAccount], Field(max_length=4, examples=[["employee", "customer"]])]
Labels = Annotated[
    dict[Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"], Name],
    Field(max_length=6, examples=[{"en": "Purchase order", "fr": "Bon de commande"}]),
]
ValueSchema = Annotated[dict[str, Any], Field(examples=[{"type": "string", "maxLength": 20}])]


class ListCustomFields(Request):
    """Filters of a field list."""

    kind: ResourceKind | None = None
    """Filter by kind of record."""
    archived: bool = False
    """If true, include archived fields. Only for admins."""


class CustomFieldRef(Request):
    """Reference to a field."""

    custom_field_id: RecordId
    """ID of the custom field."""


class CreateCustomField(Request):
    """A new field."""

    kind: ResourceKind
    """Kind of record that has the field."""
    name: FieldName = Field(examples=["purchase_order"])
    """Name in the API: lower-case letters, digits and underscores. Unique among the fields of its kind, and cannot be
    changed."""
    labels: Labels = {}
    """Display names by language."""
    value_schema: ValueSchema
    """JSON Schema (2020-12) of a value: a text, number, boolean, or a list of these. References to other schemas are
    not allowed."""
    required: bool = False
    """If true, a value is required from accounts that may write the field."""
    default: Any = Field(default=None, examples=["standard"])
    """Default value of new records."""
    filterable: bool = False
    """If true, lists can be filtered by the field. At most 8 fields per kind, each a text, number or boolean."""
    personal: bool = False
    """If true, the values are personal data and are erased with a person's other data. Not for products."""
    shared_with_partners: bool = False
    """If true, a partner who takes an order sees the value. Orders and packages only."""
    visible_to: Accounts = ["employee"]
    """Kinds of account that see the field, in addition to admins."""
    editable_by: Accounts = ["employee"]
    """Kinds of account that write the field, in addition to admins. They must also see it."""


class UpdateCustomField(CustomFieldRef):
    """Changes to a custom field.

    Omitted fields are unchanged; null removes the default. Stored values remain, even if they no longer fit. A value
    must fit when it is written again.
    """

    version: int = Field(ge=1, le=2**31 - 1, examples=[1])
    """Version of the field known to the caller. If it has changed since, the call is refused."""
    labels: Labels | None = None
    value_schema: ValueSchema | None = None
    required: bool | None = None
    default: Any = Field(default=None, examples=["standard"])
    filterable: bool | None = None
    """If true, lists can be filtered by the field. Existing records are indexed in the background."""
    personal: bool | None = None
    shared_with_partners: bool | None = None
    visible_to: Accounts | None = None
    editable_by: Accounts | None = None


class CustomField(Answer):
    """A field of a client's own."""

    id: int
    kind: ResourceKind
    name: Annotated[str, doc("Name of the field in values.", "purchase_order")]
    label: Annotated[str, doc("Display name in the caller's language, if available.", "Purchase order")]
    labels: dict[str, str]
    value_schema: Annotated[dict[str, Any], doc("JSON Schema of a value.")]
    required: bool
    default: Annotated[Any, doc("Default value of new records; absent if there is none.")] = UNSET
    filterable: bool
    personal: bool
    shared_with_partners: bool
    visible_to: Annotated[list[str], doc("Kinds of account that see the field, in addition to admins.")]
    editable_by: Annotated[list[str], doc("Kinds of account that write the field, in addition to admins.")]
    editable: Annotated[bool, doc("True if the caller may write the field.")]
    version: Annotated[int, doc("Version of the definition, starting at 1.")]
    archived: bool
    indexing: Annotated[
        bool, doc("True while existing records are being indexed; lists cannot be filtered by the field until then.")
    ]
    created_at: datetime
    updated_at: datetime


class CustomFieldAnswer(Answer):
    """One field."""

    result: bool = True
    custom_field: CustomField


class CustomFieldList(Answer):
    """The fields that the caller sees, by kind, in the order in which they were made."""

    result: bool = True
    custom_fields: list[CustomField]
