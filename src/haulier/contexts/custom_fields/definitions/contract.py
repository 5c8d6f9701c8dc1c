"""What goes in and out of definitions of custom fields."""

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
"""The kinds of account that a field is opened to; admins see and write every one."""
Accounts = Annotated[list[FieldAccount], Field(max_length=4, examples=[["employee", "customer"]])]
Labels = Annotated[
    dict[Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"], Name],
    Field(max_length=6, examples=[{"en": "Purchase order", "fr": "Bon de commande"}]),
]
ValueSchema = Annotated[dict[str, Any], Field(examples=[{"type": "string", "maxLength": 20}])]


class ListCustomFields(Request):
    """Which fields to list."""

    kind: ResourceKind | None = None
    """Only those of this kind of record."""
    archived: bool = False
    """Also fields that are archived; for admins."""


class CustomFieldRef(Request):
    """Which field."""

    custom_field_id: RecordId
    """The field's id."""


class CreateCustomField(Request):
    """A new field."""

    kind: ResourceKind
    """The records that have it."""
    name: FieldName = Field(examples=["purchase_order"])
    """What programs call it: small letters, digits and underscores. It is unique among the fields of its kind, and stays."""
    labels: Labels = {}
    """What people call it, by language."""
    value_schema: ValueSchema
    """The JSON Schema (2020-12) of a value: a text, a number, a truth value, or a list of such. It names no other schema."""
    required: bool = False
    """Whether whoever may write it must give a value."""
    default: Any = Field(default=None, examples=["standard"])
    """The value of new records where nobody gives one."""
    filterable: bool = False
    """Whether lists are filtered by it; at most 8 of a kind, each one text, number or truth value."""
    personal: bool = False
    """Whether its values say something of a person: then they are erased with what else is held of them. Not of products."""
    shared_with_partners: bool = False
    """Whether a partner who takes an order sees its value. Of orders and packages only."""
    visible_to: Accounts = ["employee"]
    """Who sees it besides admins."""
    editable_by: Accounts = ["employee"]
    """Who writes it besides admins; they must see it."""


class UpdateCustomField(CustomFieldRef):
    """What to change; what is left out stays as it is. Null takes the default away.

    Values that are there stay, whether or not they fit; a value must fit once it is written again.
    """

    version: int = Field(ge=1, le=2**31 - 1, examples=[1])
    """The version that you changed. If it is not the field's any more, nothing is done."""
    labels: Labels | None = None
    value_schema: ValueSchema | None = None
    required: bool | None = None
    default: Any = Field(default=None, examples=["standard"])
    filterable: bool | None = None
    """Whether lists are filtered by it. Records that are there are indexed in the background."""
    personal: bool | None = None
    shared_with_partners: bool | None = None
    visible_to: Accounts | None = None
    editable_by: Accounts | None = None


class CustomField(Answer):
    """A field of a client's own."""

    id: int
    kind: ResourceKind
    name: Annotated[str, doc("The name under which values are given and shown.", "purchase_order")]
    label: Annotated[str, doc("What people call it, in the caller's language where it has one.", "Purchase order")]
    labels: dict[str, str]
    value_schema: Annotated[dict[str, Any], doc("The JSON Schema of a value.")]
    required: bool
    default: Annotated[Any, doc("The value of new records where nobody gives one. Absent where there is none.")] = UNSET
    filterable: bool
    personal: bool
    shared_with_partners: bool
    visible_to: Annotated[list[str], doc("Who sees it besides admins.")]
    editable_by: Annotated[list[str], doc("Who writes it besides admins.")]
    editable: Annotated[bool, doc("Whether the caller writes it.")]
    version: Annotated[int, doc("Grows with each change of the definition, from 1.")]
    archived: bool
    indexing: Annotated[bool, doc("True while records are indexed by it; until then no list is filtered by it.")]
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
