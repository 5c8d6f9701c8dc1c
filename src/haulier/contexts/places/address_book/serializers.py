"""Addresses as answers show them."""

from collections.abc import Sequence

from msgspec import UNSET

from haulier.contexts.places.address_book.contract import (
    AddressDetail,
    AddressRecord,
    AddressWarningRecord,
    FoundAddress,
)
from haulier.contexts.places.address_book.store import AddressRow
from haulier.contexts.places.geocoding.queries import SOURCE as TOWNS
from haulier.contexts.places.geocoding.queries import OpenAddress, PackagedTown
from haulier.contexts.places.geocoding.rules.formats import PostalParts, address_warnings, format_lines, one_line
from haulier.contexts.places.party_checks.rules import CheckedParty, check_party
from haulier.contexts.places.ports import Quality
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.records import record
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.geography import LatLng
from haulier.kernel.values.xlsx import write_xlsx

GATE_OPENERS = OFFICE | {Account.CUSTOMER}
CSV_COLUMNS = (
    "reference",
    "name",
    "company",
    "address",
    "unit",
    "city",
    "region",
    "postal_code",
    "country",
    "phone",
    "email",
    "lat",
    "lng",
    "quality",
    "access_notes",
    "default_sender",
)
"""The columns of an export. An import takes the same ones back; it has no gate codes, because files are passed on."""


def postal_parts(row: AddressRow) -> PostalParts:
    """The parts of an address that its country has rules for."""
    return PostalParts(row.country, row.address, row.city, row.region, row.postal_code)


def address_record(call: Call, row: AddressRow) -> AddressRecord:
    """An address in a list."""
    return record(
        AddressRecord,
        row,
        customer_id=row.customer_id or None,
        quality=row.quality and Quality(row.quality),
        has_gate_code=row.gate_code is not None,
        updated_at=call.local_time(row.updated_at),
    )


def address_detail(call: Call, row: AddressRow) -> AddressDetail:
    """Return an address in full.

    The gate code is for staff and for the customer who owns the address.
    """
    return record(
        AddressDetail,
        row,
        customer_id=row.customer_id or None,
        quality=row.quality and Quality(row.quality),
        has_gate_code=row.gate_code is not None,
        gate_code=row.gate_code if call.principal.account in GATE_OPENERS else UNSET,
        lines=format_lines(postal_parts(row), name=row.name, unit=row.unit),
        updated_at=call.local_time(row.updated_at),
    )


def warning_records(call: Call, row: AddressRow, twins: Sequence[AddressRow]) -> list[AddressWarningRecord]:
    """Return the warnings about an address, and its possible duplicates."""
    odd = [
        AddressWarningRecord(field=each.field, code=each.code, message=call.translate(f"address.{each.code}"))
        for each in address_warnings(postal_parts(row))
    ]
    same = [
        AddressWarningRecord(
            field="name", code="duplicate", message=call.translate("address.duplicate"), address_id=twin.id
        )
        for twin in twins
        if twin.id != row.id and twin.name_key == row.name_key
    ]
    party = CheckedParty(
        lines=(),
        street=row.address,
        country=row.country,
        city=row.city,
        region=row.region or "",
        place=_place(row),
    )
    placed = [
        AddressWarningRecord(field="lat", code=each.code, message=call.translate(f"party.{each.code}", **each.params))
        for each in check_party(party)
    ]
    return odd + placed + same


def _place(row: AddressRow) -> LatLng | None:
    return None if row.lat is None or row.lng is None else (row.lat, row.lng)


def found_in_book(row: AddressRow) -> FoundAddress:
    """An address of the book as a search shows it."""
    return record(
        FoundAddress,
        row,
        source="address_book",
        address_id=row.id,
        customer_id=row.customer_id or None,
        quality=row.quality and Quality(row.quality),
        text=one_line(postal_parts(row), name=row.name, unit=row.unit),
    )


def found_in_open_data(row: OpenAddress) -> FoundAddress:
    """An address of an imported file as a search shows it."""
    parts = PostalParts(row.country, row.address, row.city, row.region, row.postal_code)
    return record(
        FoundAddress,
        row,
        source="open_data",
        address_id=None,
        customer_id=None,
        name=None,
        company=None,
        phone=None,
        email=None,
        quality=Quality.ROOFTOP if row.code_key or row.town_key else Quality.STREET,
        text=one_line(parts, unit=row.unit),
    )


def found_town(town: PackagedTown, country: str) -> FoundAddress:
    """A town without a street as a search shows it."""
    nothing = dict.fromkeys(("address_id", "customer_id", "name", "company", "unit", "region", "postal_code", "phone"))
    return FoundAddress(
        **nothing,
        email=None,
        source=TOWNS,
        address="",
        city=town.name,
        country=country,
        lat=town.lat,
        lng=town.lng,
        quality=Quality.TOWN,
        text=town.name,
    )


def addresses_xlsx(rows: Sequence[AddressRow]) -> bytes:
    """Addresses as a workbook."""
    return write_xlsx(CSV_COLUMNS, [[_csv_cell(getattr(row, name)) for name in CSV_COLUMNS] for row in rows])


def addresses_csv(rows: Sequence[AddressRow]) -> str:
    """Addresses as CSV."""
    return csv_text(CSV_COLUMNS, [[_csv_cell(getattr(row, name)) for name in CSV_COLUMNS] for row in rows])


def _csv_cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
