"""Address cells of table files, repaired where a spreadsheet damaged them."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from haulier.contexts.places.geocoding.rules.country_names import country_code
from haulier.contexts.places.geocoding.rules.formats import restore_zeros
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.table_cells import lost_digit_errors
from haulier.kernel.values.spreadsheet_cells import repair_codes

_CODES = frozenset({"phone", "postal_code"})


class AddressCells(Struct, frozen=True):
    """Cells by field; the fields whose digits are lost; and the repairs that a person should check."""

    cells: dict[str, str]
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()


def repair_address_cells(
    cells: Mapping[str, str], *, country: str | None = None, codes: Collection[str] = ()
) -> AddressCells:
    """Return the cells that are not empty, with codes as digits, the country as its code, and zeros of the postal code.

    `country` is that of rows that name none; `codes` are further fields of codes.
    """
    repaired = repair_codes({field: text for field, text in cells.items() if text}, {*_CODES, *codes})
    given, warnings = repaired.cells, list[FieldError]()
    if written := given.get("country") or country:
        given["country"] = country_code(written)
    if code := given.get("postal_code"):
        given["postal_code"] = restore_zeros(given.get("country", ""), code)
        if given["postal_code"] != code:
            params = {"code": code, "restored": given["postal_code"]}
            warnings.append(FieldError("postal_code", "field.zeros_restored", params))
    return AddressCells(given, lost_digit_errors(repaired.rounded), tuple(warnings))
