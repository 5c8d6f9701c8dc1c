"""Rules of the address book: ranking of results, and meaning of file rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from haulier.contexts.places.geocoding.rules.words import OTHER_NAMES
from haulier.kernel.values.table_columns import match_columns
from haulier.kernel.values.words import fold_words

R = TypeVar("R")
_DECIMALS = ("lat", "lng")
_TRUE = ("true", "yes", "1", "x")
_OTHER_NAMES = {
    **OTHER_NAMES,
    "phone_number": "phone",
    "telephone": "phone",
    "e_mail": "email",
    "latitude": "lat",
    "longitude": "lng",
    "lon": "lng",
    "full_name": "name",
    "id": "reference",
    "notes": "access_notes",
}
"""Names of address fields in files of other systems."""
_NAMED = ("name", "company", "reference")


def rank_found(words: Sequence[str], rows: Sequence[R]) -> list[R]:
    """Return found addresses, best first.

    Most complete words first, then most words of a name, then alphabetically, addresses without other words first.
    """
    return sorted(rows, key=lambda row: _rank(words, row))


def _rank(words: Sequence[str], row: Any) -> tuple[Any, ...]:
    parts = [str(getattr(row, part)) for part in ("address", "unit", "city", "postal_code") if getattr(row, part)]
    names = {word for part in _NAMED for word in fold_words(getattr(row, part, None))}
    known = names | set(fold_words(*parts))
    whole = sum(word in known for word in words)
    begun = sum(any(name.startswith(word) for name in names) for word in words)
    other = sum(word not in words for word in fold_words(row.address))
    return -whole, -begun, getattr(row, "name", ""), other, row.city, row.address, row.id


def match_address_columns(header: Sequence[str], mapping: Mapping[Any, str], fields: Iterable[str]) -> dict[str, int]:
    """For each field of an address the column of a file that holds it.

    Raises `KeyError` with a column that is mapped and not there.
    """
    return match_columns(header, mapping, fields, _OTHER_NAMES)


def row_document(cells: Mapping[str, str]) -> dict[str, Any]:
    """A row as `CreateAddress` takes it. Numbers are read with a point or a comma."""
    return {field: _read_cell(field, text) for field, text in cells.items()}


def _read_cell(field: str, text: str) -> Any:
    if field == "default_sender":
        return text.casefold() in _TRUE
    if field in _DECIMALS:
        try:
            return float(text.replace(",", "."))
        except ValueError:
            return text
    return text
