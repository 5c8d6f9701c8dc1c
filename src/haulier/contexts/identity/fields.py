"""Fields of accounts: names, passwords, telephone numbers and time zones."""

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, SecretStr, StringConstraints
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.fields import EMAIL_MAX as EMAIL_MAX
from haulier.kernel.operations.fields import Email as Email
from haulier.kernel.operations.fields import OneLine
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LateModule("phonenumbers")


@lru_cache(maxsize=1)
def _all_time_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def validate_time_zone(name: str) -> str:
    """Return an IANA time zone name. Raises `ValueError` with a code."""
    if name not in _all_time_zones():
        raise PydanticCustomError("unknown_time_zone", "{given} is not known", {"given": name})
    return name


PASSWORD_LENGTH_MAX = 256
NAME_MAX = 120


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX), OneLine]


Language = Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"]


TimeZone = Annotated[str, Field(max_length=64, examples=["America/Toronto"]), AfterValidator(validate_time_zone)]


Password = Annotated[SecretStr, Field(min_length=1, max_length=PASSWORD_LENGTH_MAX)]


UserAccount = Literal[
    Account.CLIENT_ADMIN,
    Account.EMPLOYEE,
    Account.CONTRACTOR,
    Account.DRIVER,
    Account.CUSTOMER,
    Account.PROVIDER,
]


def validate_phone(number: str) -> str:
    """Return a telephone number in E.164. Raises `ValueError` with a code."""
    try:
        parsed = phonenumbers.parse(number, None)
    except phonenumbers.NumberParseException:
        parsed = None
    if parsed is None or not phonenumbers.is_valid_number(parsed):
        raise PydanticCustomError("phone_not_international", "not an international telephone number")
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
