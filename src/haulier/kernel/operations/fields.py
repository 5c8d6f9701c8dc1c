"""Types of request fields that every family of dispatch uses, with their bounds."""

from typing import Annotated

from msgspec import Struct
from pydantic import AfterValidator, BeforeValidator, EmailStr, Field, GetJsonSchemaHandler, StringConstraints
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.text_safety import EMAIL_PATTERN, join_lines, require_bare_email


class ComparesPrice(Struct, frozen=True):
    """The mark of an input that is compared with prices of a family: `Annotated[int | None, ComparesPrice(family)]`.

    Callers from whom the family is hidden cannot use it, because its outcome reveals the price.
    """

    family: PriceFamily


class _CountedOnce:
    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema without a promise that repetitions are refused."""
        described = handler(schema)
        described.pop("uniqueItems", None)
        return described


EachOnce = _CountedOnce()
"""For a set in a request: an entry that is there twice counts once, and the published schema does not say otherwise."""
ID_MAX = 2**53 - 1  # Why: every reader of JSON reads whole numbers up to this exactly (RFC 8259, section 6)
NAME_MAX = 120
EMAIL_MAX = 254
NOTE_MAX = 500
REASON_MAX = 255
ORDERS_MAX = 1000

RecordId = Annotated[int, Field(ge=1, le=ID_MAX)]
OrderIds = Annotated[list[RecordId], Field(min_length=1, max_length=ORDERS_MAX)]
OWN_FIELDS_OF = "x-haulier-fields-of"
"""Says in a schema whose fields, which a business has made itself, stand in an object."""
NO_NUL = r"^[^\x00]*$"
"""PostgreSQL stores every character of a text but this one."""

OneLine = BeforeValidator(join_lines)
"""For names: they stand in subjects of e-mails, on labels and in tables, where a line break would begin something else."""
BareEmail = BeforeValidator(require_bare_email)
"""For e-mail addresses: the address alone, without a display name or angle brackets."""
Email = Annotated[EmailStr, Field(max_length=EMAIL_MAX), BareEmail, AfterValidator(str.lower)]
"""The address of an account or an applicant, in lower case."""
EmailText = Annotated[str, StringConstraints(max_length=EMAIL_MAX, pattern=EMAIL_PATTERN)]
"""The address of a contact, as written."""
Name = Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine]
Note = Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)]
Reason = Annotated[str, Field(max_length=REASON_MAX, pattern=NO_NUL)]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]
Skill = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$")]
Skills = Annotated[list[Skill], Field(max_length=50)]
