"""Form of a service: ordered fields with their types, options and conditions."""

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
"""Value that a condition compares with: a boolean, an integer, or an option's value."""


class FormFieldType(StrEnum):
    """Type of a form field."""

    TEXT = "text"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    """One of the options."""
    CHOICES = "choices"
    """Any number of options, each once."""
    DATE = "date"
    """Day, such as 2026-06-10."""


class FormCondition(Request):
    """Condition on the value of an earlier field.

    For a field with several options, the condition holds if one of the values is selected.
    """

    field: FieldKey
    """Name of an earlier field."""
    one_of: list[FormScalar] = Field(min_length=1, max_length=OPTIONS_MAX, examples=[[True]])
    """Values for which the condition holds."""


class FormOption(Request):
    """Option of a form field."""

    value: FieldKey
    """Value used by API clients."""
    label: Name = Field(examples=["Second floor"])
    """Displayed label."""
    labels: Labels = {}
    """Labels in other languages."""


Conditions = Annotated[list[FormCondition], Field(max_length=CONDITIONS_MAX)]


class FormField(Request):
    """Field of a form."""

    name: FieldKey
    """Field name used by API clients, unique in the form."""
    label: Name = Field(examples=["Which floor?"])
    """Displayed label."""
    labels: Labels = {}
    """Labels in other languages."""
    help: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """Help text."""
    type: FormFieldType = FormFieldType.TEXT
    required: bool = False
    """If true, a value is required whenever the field is shown."""
    options: list[FormOption] = Field(default=[], max_length=OPTIONS_MAX)
    """Options for `choice` and `choices` fields."""
    minimum: WholeNumber | None = None
    """Smallest allowed integer."""
    maximum: WholeNumber | None = None
    """Largest allowed integer."""
    max_length: int = Field(default=200, ge=1, le=TEXT_MAX)
    """Maximum text length in characters."""
    visible_when: Conditions = []
    """Conditions for showing the field. All must hold. A hidden field takes no value."""
    required_when: Conditions = []
    """Conditions for also requiring a value. All must hold."""


class FormConditionRecord(Answer):
    """Condition on the value of an earlier field."""

    field: str
    one_of: list[bool | int | str]


class FormOptionRecord(Answer):
    """Option of a form field."""

    value: str
    label: str
    labels: dict[str, str]


class FormFieldRecord(Answer):
    """Field of a form."""

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
    visible_when: Annotated[list[FormConditionRecord], doc("Conditions for showing the field. All must hold.")]
    required_when: Annotated[list[FormConditionRecord], doc("Conditions for also requiring a value. All must hold.")]
