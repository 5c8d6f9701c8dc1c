"""What customers fill in for a service: fields in their order, each with its type, its options and its conditions."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictBool, StrictInt

from haulier.contexts.custom_fields.definitions.contract import Labels
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import ID_MAX, NO_NUL, NOTE_MAX, Name

FIELDS_MAX, OPTIONS_MAX, CONDITIONS_MAX = 50, 50, 5
TEXT_MAX = 2_000

FieldKey = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z][a-z0-9_]*$", examples=["pickup_floor"])]
WholeNumber = Annotated[StrictInt, Field(ge=-ID_MAX, le=ID_MAX)]
FormScalar = StrictBool | WholeNumber | FieldKey
"""What a condition compares with: a truth value, a whole number, or the value of an option."""


class FormFieldType(StrEnum):
    """What a field takes."""

    TEXT = "text"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    """One of the options."""
    CHOICES = "choices"
    """Any of the options, each once."""
    DATE = "date"
    """A day, such as 2026-06-10."""


class FormCondition(Request):
    """That a field before it has one of some values; of a field of several options, that one of them is chosen."""

    field: FieldKey
    """The name of a field that stands before it."""
    one_of: list[FormScalar] = Field(min_length=1, max_length=OPTIONS_MAX, examples=[[True]])
    """The values with which it holds."""


class FormOption(Request):
    """Something that can be chosen."""

    value: FieldKey
    """What programs call it."""
    label: Name = Field(examples=["Second floor"])
    """What people read."""
    labels: Labels = {}
    """What people read in other languages."""


Conditions = Annotated[list[FormCondition], Field(max_length=CONDITIONS_MAX)]


class FormField(Request):
    """A field of the form."""

    name: FieldKey
    """What programs call it; unique in the form."""
    label: Name = Field(examples=["Which floor?"])
    """What people read."""
    labels: Labels = {}
    """What people read in other languages."""
    help: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """What helps to fill it in."""
    type: FormFieldType = FormFieldType.TEXT
    required: bool = False
    """Whether there must be a value whenever the field is shown."""
    options: list[FormOption] = Field(default=[], max_length=OPTIONS_MAX)
    """What can be chosen; for `choice` and `choices`."""
    minimum: WholeNumber | None = None
    """The least whole number."""
    maximum: WholeNumber | None = None
    """The greatest whole number."""
    max_length: int = Field(default=200, ge=1, le=TEXT_MAX)
    """The longest text."""
    visible_when: Conditions = []
    """The field is shown when all of these hold; a field that is not shown takes no value."""
    required_when: Conditions = []
    """There must also be a value when all of these hold."""


class FormConditionRecord(Answer):
    """That a field before it has one of some values."""

    field: str
    one_of: list[bool | int | str]


class FormOptionRecord(Answer):
    """Something that can be chosen."""

    value: str
    label: str
    labels: dict[str, str]


class FormFieldRecord(Answer):
    """A field of the form."""

    name: str
    label: str
    labels: dict[str, str]
    help: str
    type: FormFieldType
    required: bool
    options: list[FormOptionRecord]
    minimum: int | None
    maximum: int | None
    max_length: int
    visible_when: Annotated[list[FormConditionRecord], doc("The field is shown when all of these hold.")]
    required_when: Annotated[list[FormConditionRecord], doc("There must also be a value when all of these hold.")]
