"""Rules of order imports.

A profile is a TOML file in `profiles`. `needs` identifies it and `group_by` names the column shared by rows of one
order. `fields` lists columns in order of preference, `join` columns whose values are joined.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args
from zoneinfo import ZoneInfo

from msgspec import Struct, convert

from haulier.contexts.orders.order_imports.contract import OrderField
from haulier.contexts.places.geocoding.rules.formats import repair_address_cells
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.values.money import Money
from haulier.kernel.values.table_columns import match_columns, plain_column_name

MAX_DESCRIPTION = 200
_FOLDER = Path(__file__).parent


class ItemColumns(Struct, frozen=True):
    """The columns of an item."""

    quantity: str
    name: str
    sku: str | None = None
    price: str | None = None
    currency: str | None = None


class OrderFileProfile(Struct, frozen=True):
    """The columns of a shop's export."""

    title: str
    source: str
    needs: list[str]
    group_by: str
    fields: dict[str, list[str]]
    join: dict[str, list[str]] = {}
    items: ItemColumns | None = None

    def columns_of(self, field: str) -> list[str]:
        """Return the columns that a field is read from."""
        return self.fields.get(field, []) + self.join.get(field, [])


class FileOrder(Struct, frozen=True):
    """An order of a file: number of its first row, from 1, cells by field, and items."""

    number: int
    cells: dict[str, str]
    items: tuple[dict[str, str], ...] = ()


@cache
def get_profiles() -> tuple[OrderFileProfile, ...]:
    """Return all profiles, those that need most columns first."""
    files = sorted((_FOLDER / "profiles").glob("*.toml"))
    read = [convert(tomllib.loads(file.read_text("utf-8")), OrderFileProfile) for file in files]
    return tuple(sorted(read, key=lambda profile: -len(profile.needs)))


@cache
def get_column_names() -> Mapping[str, str]:
    """Return the fields that columns in other languages hold, by plain name."""
    names = convert(tomllib.loads((_FOLDER / "column_names.toml").read_text("utf-8")), dict[str, list[str]])
    return {plain_column_name(name): field for field, those in names.items() for name in those}


def find_profile(header: Sequence[str]) -> OrderFileProfile | None:
    """Return the profile whose columns a file has."""
    known = {plain_column_name(name) for name in header}
    return next((each for each in get_profiles() if all(plain_column_name(name) in known for name in each.needs)), None)


class ProfileReader:
    """Reader of file rows by a profile.

    Columns mapped by the caller replace those of the profile. Mapping a field to the column of the profile changes
    nothing; None leaves the field out.
    """

    def __init__(self, profile: OrderFileProfile, header: Sequence[str], mapped: Mapping[str, int | None]) -> None:
        self._profile = profile
        self._places = {plain_column_name(name): at for at, name in reversed(list(enumerate(header)))}
        own = self._own_columns()
        self._mapped = {field: at for field, at in mapped.items() if at is not None and own.get(at) != field}
        self._left_out = {field for field, at in mapped.items() if at is None}

    def columns(self) -> dict[int, str]:
        """Return the field that each column is read as."""
        kept = {
            at: field for at, field in self._own_columns().items() if field not in self._left_out | self._mapped.keys()
        }
        return kept | {at: field for field, at in self._mapped.items()}

    def _own_columns(self) -> dict[int, str]:
        profile, found = self._profile, dict[int, str]()
        for field in (*profile.fields, *profile.join):
            found |= {at: field for name in profile.columns_of(field) if (at := self._place(name)) is not None}
        for name, field in ((profile.items.name, "description"),) if profile.items else ():
            found |= {at: field} if (at := self._place(name)) is not None else {}
        return found

    def orders(self, rows: Sequence[Sequence[str]]) -> Iterator[FileOrder]:
        """Return the orders in file order, combining rows with the same order number."""
        groups = dict[str, list[tuple[int, Sequence[str]]]]()
        for number, row in enumerate(rows, 1):
            key = self._cell(row, self._profile.group_by) if self._profile.group_by else ""
            groups.setdefault(key or f"\0{number}", []).append((number, row))
        for group in groups.values():
            rows_of_order = [row for _, row in group]
            yield FileOrder(group[0][0], self._read(rows_of_order), tuple(self._read_items(rows_of_order)))

    def _read(self, rows: Sequence[Sequence[str]]) -> dict[str, str]:
        profile = self._profile
        cells = {
            field: next((cell for row in rows for name in names if (cell := self._cell(row, name))), "")
            for field, names in profile.fields.items()
        }
        for field, names in profile.join.items():
            parts = (" ".join(filter(None, (self._cell(row, name) for name in names))) for row in rows)
            cells[field] = next(filter(None, parts), "")
        if profile.items:
            cells["description"] = self._items(rows, profile.items)
        cells |= {field: next((row[at] for row in rows if row[at]), "") for field, at in self._mapped.items()}
        unused = self._left_out | ITEM_FIELDS.keys()
        return {field: cell for field, cell in cells.items() if cell and field not in unused}

    def _read_items(self, rows: Sequence[Sequence[str]]) -> Iterator[dict[str, str]]:
        """Yield the cells of each row that names an item."""
        columns = self._profile.items
        if columns is None or "description" in self._left_out:
            return
        names = {
            "item_description": columns.name,
            "item_quantity": columns.quantity,
            "sku": columns.sku,
            "unit_price": columns.price,
            "item_currency": columns.currency,
        }
        for row in rows:
            cells = {field: cell for field, name in names.items() if name and (cell := self._cell(row, name))}
            cells |= {field: row[at] for field, at in self._mapped.items() if field in ITEM_FIELDS and row[at]}
            cells = {field: cell for field, cell in cells.items() if field not in self._left_out}
            if cells.keys() & ITEM_NAMES:
                yield cells

    def _items(self, rows: Sequence[Sequence[str]], columns: ItemColumns) -> str:
        named = [(self._cell(row, columns.quantity), self._cell(row, columns.name)) for row in rows]
        text = ", ".join(f"{quantity or 1} × {name}" for quantity, name in named if name)
        return text if len(text) <= MAX_DESCRIPTION else text[: MAX_DESCRIPTION - 1] + "…"

    def _place(self, name: str) -> int | None:
        return self._places.get(plain_column_name(name))

    def _cell(self, row: Sequence[str], name: str) -> str:
        at = self._place(name)
        return row[at] if at is not None else ""


FIELDS: tuple[str, ...] = get_args(OrderField)
NEEDED = ("name", "address", "city", "country")
OWN_FIELD = "custom_fields."
OF_ADDRESS = frozenset(FIELDS[1:13])
OF_PACKAGE = frozenset({"quantity", "weight_g", "description"})
ITEM_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "sku": "sku",
        "item_description": "description",
        "item_quantity": "quantity",
        "unit_price": "unit_price_minor",
        "item_currency": "currency",
        "item_weight_g": "weight_g",
        "hs_code": "hs_code",
        "country_of_origin": "country_of_origin",
    }
)
"""Field of an item by the field of a file."""
ITEM_NAMES = frozenset({"sku", "item_description"})
"""An item has at least one of these columns."""
_WHOLE = frozenset({"quantity", "weight_g", "cod_minor", "item_quantity", "item_weight_g"})
_GRAMS = MappingProxyType(
    {"weight_kg": Decimal(1000), "weight_oz": Decimal("28.349523125"), "weight_lb": Decimal("453.59237")}
)
_DEGREES = frozenset({"lat", "lng"})
_YES = frozenset({"true", "yes", "1", "x", "y"})
_NO = frozenset({"false", "no", "0", "n"})
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?")
OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "reference": "order_ref",
        "ref": "order_ref",
        "order": "order_ref",
        "order_number": "order_ref",
        "order_no": "order_ref",
        "customer": "name",
        "recipient": "name",
        "consignee": "name",
        "full_name": "name",
        "company": "name",
        "telephone": "phone",
        "phone_number": "phone",
        "mobile": "phone",
        "e_mail": "email",
        "latitude": "lat",
        "longitude": "lng",
        "lon": "lng",
        "date": "scheduled_date",
        "delivery_date": "scheduled_date",
        "day": "scheduled_date",
        "from": "window_start",
        "until": "window_end",
        "to": "window_end",
        "pieces": "quantity",
        "packages": "quantity",
        "parcels": "quantity",
        "weight": "weight_kg",
        "weight_lbs": "weight_lb",
        "pounds": "weight_lb",
        "ounces": "weight_oz",
        "content": "description",
        "contents": "description",
        "signature": "signature_required",
        "photo": "photo_required",
        "cash_on_delivery": "cod",
        "instruction": "delivery_instruction",
        "instructions": "delivery_instruction",
        "gate_code": "notes",
        "item": "item_description",
        "item_name": "item_description",
        "product": "item_description",
        "product_name": "item_description",
        "article": "item_description",
        "item_sku": "sku",
        "product_code": "sku",
        "item_price": "unit_price",
        "price": "unit_price",
        "item_weight": "item_weight_g",
        "tariff_code": "hs_code",
        "origin": "country_of_origin",
        "origin_country": "country_of_origin",
    }
)
"""Names of order fields in other systems. The parts of an address have more names."""


class RowDefaults(Struct, frozen=True, kw_only=True):
    """Defaults for rows without their own value."""

    zone: ZoneInfo
    currency: str
    country: str | None = None
    scheduled_date: date | None = None
    customer_id: int | None = None


def match_order_columns(
    header: Sequence[str], mapping: Mapping[Any, str | None], address_names: Mapping[str, str]
) -> dict[str, int]:
    """Return the column of each field and custom field.

    Raises `KeyError` with a mapped column that is missing.
    """
    found = match_columns(header, mapping, FIELDS, {**get_column_names(), **address_names, **OTHER_NAMES})
    own = {name: index for index, name in enumerate(header) if name.startswith(OWN_FIELD)}
    return {**own, **found}


def with_item_columns(columns: Mapping[str, int], mapped: Collection[str]) -> dict[str, int]:
    """Return the columns of a file.

    With a column for `sku`, quantity and description are those of the item. Columns that the caller mapped keep their field.
    """
    if "sku" not in columns:
        return dict(columns)
    of_item = {
        field: item
        for field, item in {"quantity": "item_quantity", "description": "item_description"}.items()
        if item not in columns and field not in mapped
    }
    return {of_item.get(field, field): at for field, at in columns.items()}


class OrderDraft(Struct, frozen=True):
    """An order of a file for `create_order`, with its errors and repairs to check."""

    document: dict[str, Any]
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()


def group_rows(rows: Sequence[Mapping[str, str]]) -> Iterator[FileOrder]:
    """Yield the orders of rows without a profile.

    If the rows name items, those with the same reference are one order; else each row is an order.
    """
    if not any(row.keys() & ITEM_NAMES for row in rows):
        plain = ({field: cell for field, cell in row.items() if field not in ITEM_FIELDS} for row in rows)
        yield from (FileOrder(number, cells) for number, cells in enumerate(plain, 1))
        return
    groups = dict[str, list[tuple[int, Mapping[str, str]]]]()
    for number, row in enumerate(rows, 1):
        groups.setdefault(row.get("order_ref") or f"\0{number}", []).append((number, row))
    for group in groups.values():
        of_order = [{field: cell for field, cell in row.items() if field not in ITEM_FIELDS} for _, row in group]
        cells = {field: next((row[field] for row in of_order if row[field]), "") for field in of_order[0]}
        items = [{field: row[field] for field in ITEM_FIELDS if row.get(field)} for _, row in group]
        yield FileOrder(group[0][0], cells, tuple(item for item in items if item.keys() & ITEM_NAMES))


def order_draft(order: FileOrder, defaults: RowDefaults) -> OrderDraft:
    """Return an order of a file, with the damage of spreadsheets repaired."""
    cells = order.cells
    address = {field: text for field, text in cells.items() if field in OF_ADDRESS or field == "order_ref"}
    repaired = repair_address_cells(address, country=defaults.country, codes={"order_ref"})
    return OrderDraft(
        {
            **order_document({**cells, **repaired.cells}, defaults),
            **({"items": [_item_document(item, defaults) for item in order.items]} if order.items else {}),
        },
        tuple(map(_of_consignee, repaired.errors)),
        tuple(map(_of_consignee, repaired.warnings)),
    )


def _item_document(cells: Mapping[str, str], defaults: RowDefaults) -> dict[str, Any]:
    """Return an item in the format of `create_order`.

    Unreadable values are passed unchanged and refused there.
    """
    currency = cells.get("item_currency") or defaults.currency
    read = {field: _read_item_cell(field, text, currency, defaults) for field, text in cells.items()}
    return {ITEM_FIELDS[field]: value for field, value in read.items()}


def _read_item_cell(field: str, text: str, currency: str, defaults: RowDefaults) -> Any:
    return _amount(text, currency) if field == "unit_price" else _read_cell(field, text, "", defaults)


def _of_consignee(error: FieldError) -> FieldError:
    field = f"consignee.{error.field}" if error.field in OF_ADDRESS else error.field
    return FieldError(field, error.code, error.params)


def order_document(cells: Mapping[str, str], defaults: RowDefaults) -> dict[str, Any]:
    """Return a row in the format of `create_order`.

    Empty cells are left out. Unreadable values are passed unchanged and refused there.
    """
    given = {field: text for field, text in cells.items() if text}
    day = given.get("scheduled_date", str(defaults.scheduled_date or ""))[:10]
    if day and not _is_day(day):  # report one error, without those that follow from it
        given = {field: text for field, text in given.items() if not _CLOCK.fullmatch(text)}
    read = {field: _read_cell(field, text, day, defaults) for field, text in given.items()}
    for field in _GRAMS.keys() & read.keys():
        read["weight_g"] = read.pop(field)
    if "cod" in read:
        read["cod_minor"] = read.pop("cod")
    address = {field: value for field, value in read.items() if field in OF_ADDRESS}
    order: dict[str, Any] = {
        field: value
        for field, value in read.items()
        if field not in OF_ADDRESS | OF_PACKAGE and not field.startswith(OWN_FIELD)
    }
    package = {field: read[field] for field in OF_PACKAGE if field in read}
    own = {field.removeprefix(OWN_FIELD): value for field, value in read.items() if field.startswith(OWN_FIELD)}
    if day:
        order["scheduled_date"] = day
    return {
        "consignee": address,
        **order,
        **({"packages": [package]} if package else {}),
        **({"custom_fields": own} if own else {}),
        **({"customer_id": defaults.customer_id} if defaults.customer_id else {}),
    }


def _read_cell(field: str, text: str, day: str, defaults: RowDefaults) -> Any:
    if field in _WHOLE:
        return int(text) if text.isascii() and text.isdecimal() else text
    if field in _DEGREES:
        return _decimal(text, float)
    if field in _GRAMS:
        return _decimal(text, lambda weight: int((weight * _GRAMS[field]).to_integral_value()))
    if field == "cod":
        return _amount(text, defaults.currency)
    if field in {"signature_required", "photo_required"}:
        return True if text.casefold() in _YES else False if text.casefold() in _NO else text
    if field in {"window_start", "window_end"}:
        return _moment(text, day, defaults.zone)
    return text


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _decimal(text: str, made: Any) -> Any:
    """A number with a point or a comma."""
    try:
        number = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return text
    return made(number) if number.is_finite() else text


def _amount(text: str, currency: str) -> Any:
    try:
        return Money.parse(text.replace(",", "."), currency).minor
    except ValueError:
        return text


def _moment(text: str, day: str, zone: ZoneInfo) -> str:
    """A moment with its offset, of a time of day or of a moment without one."""
    clock = _CLOCK.fullmatch(text)
    try:
        moment = datetime.fromisoformat(f"{day}T{clock[1]:0>2}:{clock[2]}" if clock and day else text)
    except ValueError:
        return text
    return moment.isoformat() if moment.tzinfo else moment.replace(tzinfo=zone).isoformat()
