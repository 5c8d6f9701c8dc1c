"""Common request field types with their bounds."""

from typing import Annotated

from msgspec import Struct
from pydantic import AfterValidator, BeforeValidator, EmailStr, Field, GetJsonSchemaHandler, StringConstraints
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.text_safety import EMAIL_PATTERN, join_lines, require_bare_email


class ComparesPrice(Struct, frozen=True):
    """Marks an input that is compared with prices.

    Example: `Annotated[int | None, ComparesPrice(family)]`.

    Callers who may not see the prices cannot use it, because the outcome would reveal them.
    """

    family: PriceFamily


class _CountedOnce:
    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema without `uniqueItems`, because repetitions are accepted."""
        described = handler(schema)
        described.pop("uniqueItems", None)
        return described


EachOnce = _CountedOnce()
"""Annotation for a set: repeated entries count once, and the published schema allows them."""
ID_MAX = 2**53 - 1  # every JSON reader reads integers up to this exactly (RFC 8259, section 6)
NAME_MAX = 120
EMAIL_MAX = 254
NOTE_MAX = 500
REASON_MAX = 255
ORDERS_MAX = 1000

RecordId = Annotated[int, Field(ge=1, le=ID_MAX)]
OrderIds = Annotated[list[RecordId], Field(min_length=1, max_length=ORDERS_MAX)]
OWN_FIELDS_OF = "x-haulier-fields-of"
"""Schema key of an object with custom fields. Its value names the kind of record."""
NO_NUL = r"^[^\x00]*$"
"""Excludes NUL, the only character that PostgreSQL cannot store."""

OneLine = BeforeValidator(join_lines)
"""For names, which appear in subjects, labels and tables, where a line break would be harmful."""
BareEmail = BeforeValidator(require_bare_email)
"""For email addresses without a display name or angle brackets."""
Email = Annotated[EmailStr, Field(max_length=EMAIL_MAX), BareEmail, AfterValidator(str.lower)]
"""Email address of an account or applicant, in lower case."""
EmailText = Annotated[str, StringConstraints(max_length=EMAIL_MAX, pattern=EMAIL_PATTERN)]
"""Email address of a contact, as entered."""
Name = Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine]
Note = Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)]
Reason = Annotated[str, Field(max_length=REASON_MAX, pattern=NO_NUL)]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]
Skill = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$")]
Skills = Annotated[list[Skill], Field(max_length=50)]
