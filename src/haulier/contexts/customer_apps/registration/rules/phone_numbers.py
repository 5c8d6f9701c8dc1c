"""Telephone numbers, parsed as people write them and kept in E.164."""

from typing import TYPE_CHECKING

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LateModule("phonenumbers")


def parse_phone(written: str, region: str) -> str:
    """A number that text messages reach, in E.164; without a country code it is taken to be of the region.

    Raises `INVALID_REQUEST` at `phone` for what is no number, or one that cannot receive text messages.
    """
    try:
        number = phonenumbers.parse(written, region)
    except phonenumbers.NumberParseException:
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_invalid")) from None
    if not phonenumbers.is_valid_number(number):
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_invalid"))
    kinds = phonenumbers.PhoneNumberType
    if phonenumbers.number_type(number) not in {kinds.MOBILE, kinds.FIXED_LINE_OR_MOBILE, kinds.PERSONAL_NUMBER}:
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_unreachable"))
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
