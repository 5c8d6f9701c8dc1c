"""What files and lists of other systems call the parts of an address."""

from collections.abc import Mapping

from haulier.kernel.values.table_columns import plain_column_name

PARTS = ("address", "unit", "city", "region", "postal_code", "country")
OTHER_NAMES: Mapping[str, str] = {
    "zip": "postal_code",
    "zip_code": "postal_code",
    "zipcode": "postal_code",
    "postcode": "postal_code",
    "post_code": "postal_code",
    "postal": "postal_code",
    "plz": "postal_code",
    "street": "address",
    "street_address": "address",
    "address_1": "address",
    "address1": "address",
    "address_line_1": "address",
    "address_2": "unit",
    "address2": "unit",
    "address_line_2": "unit",
    "province": "region",
    "state": "region",
    "town": "city",
    "ort": "city",
    "ville": "city",
    "country_code": "country",
}


def part_of_address(name: str) -> str | None:
    """Which part of an address a field of this name holds; None for a name that says nothing of it."""
    plain = plain_column_name(name)
    part = OTHER_NAMES.get(plain, plain)
    return part if part in PARTS else None
