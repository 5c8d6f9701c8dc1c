"""Telephone numbers, parsed as people write them and kept in E.164."""

from phonenumbers import (
    NumberParseException,
    PhoneNumberFormat,
    PhoneNumberType,
    format_number,
    is_valid_number,
    number_type,
    parse,
)

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

_REACHABLE = {PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE, PhoneNumberType.PERSONAL_NUMBER}


def parse_phone(written: str, region: str) -> str:
    """A number that text messages reach, in E.164; without a country code it is taken to be of the region.

    Raises `INVALID_REQUEST` at `phone` for what is no number, or one that cannot receive text messages.
    """
    try:
        number = parse(written, region)
    except NumberParseException:
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_invalid")) from None
    if not is_valid_number(number):
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_invalid"))
    if number_type(number) not in _REACHABLE:
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_unreachable"))
    return format_number(number, PhoneNumberFormat.E164)


def mask_phone(phone: str) -> str:
    """A number of which only the last two digits can be read."""
    return "•" * (len(phone) - 3) + phone[-2:]
