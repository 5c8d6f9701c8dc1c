"""Display values of answers: labels of fields and choices, links for IDs."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, UnsetType

from haulier.kernel.i18n.choices import choice_messages, hint_messages
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.resources import Resource, snake_case
from haulier.web.desk.places import Places, address_of, declarations, may_use
from haulier.web.i18n import Translate
from haulier.web.kinds.table import Kind, kind_of_value
from haulier.web.pages.value_formatter import ValueFormatter, ValueTree, Words, humanized_name
from haulier.web.session import WebSession

NAMING_FIELDS = (
    "name",
    "order_ref",
    "tracking_number",
    "title",
    "label",
    "reference",
    "email",
    "code",
    "number",
    "event",
)
"""Fields that name a record, best first."""
PLACE_PARTS = ("name", "address", "city")
UNSHOWN = frozenset({"result", "price_hidden", "message", "allowed_actions"})
COLUMNS_MAX = 7
NOUNS_OF_KINDS = {
    "driver": "drivers",
    "contractor": "users",
    "user": "users",
    "customer": "customers",
    "order": "orders",
    "route": "routes",
    "shipment": "shipments",
    "invoice": "invoices",
}
"""Nouns of the kinds beside ids, such as `payee_kind`."""
CHOSEN = ("_mode", "kind", "type", "method", "outcome", "purpose", "resolution", "direction", "role", "channel")
"""Endings of fields whose values are choices, one-word choices included."""
NAMES_OF_THEIR_OWN = ("_ref", "number", "code", "id", "currency")
"""Endings of fields whose values are shown unchanged."""
_PEOPLE = ("payee_id", "driver_id", "customer_id", "user_id", "contractor_id", "driver_name", "customer_name")
_QUOTED = re.compile(r"`(\w+)`")
_CODE = re.compile(r"[A-Z][A-Z_]{2,}|[a-z]+(_[a-z]+)+")


class Cell(Struct, frozen=True):
    """A value in a table or on a record's page."""

    text: str = ""
    address: str | None = None
    mood: str | None = None
    """Return the colour of a status, or None."""
    tree: ValueTree | None = None
    numeric: bool = False
    """Amounts and counts stand at the end of their column."""


class DeskReader:
    """Reads answers for one person."""

    def __init__(self, places: Places, session: WebSession, say: Translate, formatter: ValueFormatter) -> None:
        self._places, self._session, self._say, self._formatter = places, session, say, formatter
        self.known_names: dict[str, dict[str, str]] = {}
        """Names of records by noun and id, where the answer has only ids."""
        self._moods = {status: mood for mood, statuses in declarations().moods.items() for status in statuses}

    def label(self, name: str, noun: Resource | None = None) -> Words:
        """The name of a field, of a record if it has its own."""
        own = self._known(f"label.{_key_of(noun)}.{snake_case(name)}") if noun else None
        return own or self._formatter.label(name)

    def choice(self, value: str, noun: Resource | None = None) -> Words:
        """The name of a choice, of a record if it has its own: `NEW_ORDER` is “New”."""
        own = [f"choice.{_key_of(noun)}.{value.lower()}"] if noun else []
        named = (*own, *choice_messages(value), f"otep.status.{value.lower()}")
        known = next(filter(None, map(self._known, named)), None)
        if known is None:
            is_code = "_" in value and _CODE.fullmatch(value)
            return Words(humanized_name(value.lower()) if is_code else value, english=True)
        # Capitalized here only: the same words appear within sentences elsewhere.
        return Words(known.text[:1].upper() + known.text[1:], english=known.english)

    def hint(self, text: str) -> Words:
        """Return the description of a field, translated if possible."""
        known = hint_messages().get(text)
        told = self._say(known) if known else text
        return Words(_QUOTED.sub(self._field_name, told).replace("`", ""), english=known is None)

    def _field_name(self, quoted: re.Match[str]) -> str:
        """Return the label of a field that a description names."""
        words = self.label(quoted[1])
        return quoted[1] if words.english else f"“{words.text}”"

    def noun(self, noun: Resource) -> Words:
        """The name of a noun, in the plural."""
        return self._known(f"noun.{noun.key}") or Words(humanized_name(noun.key.replace("-", "_")), english=True)

    def title(self, operation: Operation[Any, Any]) -> Words:
        """Return the short title of an operation."""
        known = self._known(f"write.{operation.name}") or self._known(f"read.{operation.name}")
        return known or Words(humanized_name(operation.name), english=True)

    def record_title(self, noun: Resource, ids: list[str], record: Mapping[str, Any]) -> str:
        """Return the title of a record: type, ID and name."""
        id_field = snake_case(noun.id_field or "")
        phrase = self._say(f"record.{id_field}", value=ids[-1])
        kind = f"{self.noun(noun).text} {ids[-1]}" if phrase.startswith("record.") else phrase
        name = next((str(record[name]) for name in NAMING_FIELDS if record.get(name)), "")
        return f"{kind[:1].upper()}{kind[1:]}" + (f" · {name}" if name and name != ids[-1] else "")

    def columns(self, row: type[Struct], asked: list[str]) -> list[str]:
        """The columns of a table: those asked for, else the first that fit a line."""
        possible = list(possible_columns(row))
        chosen = [name for name in asked if name in possible]
        return chosen or sorted(possible, key=lambda name: (_column_rank(name), possible.index(name)))[:COLUMNS_MAX]

    def cell(self, name: str, value: Any, beside: Mapping[str, Any], noun: Resource | None = None) -> Cell:
        """One value; `beside` is the record of a noun that it is in."""
        if value is None or value in ([], {}, ""):
            return Cell("—")
        if isinstance(value, bool):
            return Cell(self._say("page.yes" if value else "page.no"))
        if isinstance(value, str) and snake_case(name).endswith(("status", "state")):
            return Cell(self.choice(value, noun).text, mood=self._moods.get(value.lower(), ""))
        if isinstance(value, int) and (other := self.noun_of_id(name, beside)):
            named = beside.get(named_beside(name)) or self.known_names.get(other.key, {}).get(str(value))
            return Cell(str(named or value), self._referred_address(other, value))
        if (measured := self._formatter.measured(value, name, beside.get("currency"))) is not None:
            return Cell(measured, numeric=not isinstance(value, str))
        if isinstance(value, int):
            return Cell(str(value), numeric=name != "id")
        is_choice = name.endswith(CHOSEN) or (isinstance(value, str) and _CODE.fullmatch(value))
        if isinstance(value, str) and is_choice and not name.endswith(NAMES_OF_THEIR_OWN):
            return Cell(self.choice(value, noun).text)
        if isinstance(value, dict):
            parts = [str(value[part]) for part in PLACE_PARTS if value.get(part)]
            tree = self._formatter.tree(value, name)
            return Cell(", ".join(parts) if parts else tree.text, tree=tree)
        tree = self._formatter.tree(value, name)
        return Cell(tree.text) if tree.plain else Cell(tree=tree)

    def is_numeric(self, column: str, rows: Sequence[Mapping[str, Any]], noun: Resource | None = None) -> bool:
        """Return True if the first value of a column is an amount or a count."""
        first = next((row for row in rows if row.get(column) is not None), None)
        return first is not None and self.cell(column, first[column], first, noun).numeric

    @staticmethod
    def picture(svg: str) -> str:
        """Return a drawing as an image, in which no script runs."""
        return b64encode(svg.encode()).decode()

    def address_of_row(self, noun: Resource | None, row: Mapping[str, Any], within: Mapping[str, Any]) -> str | None:
        """The page of a record in a list."""
        if noun is None or not noun.ids:
            return None
        found = [_id_in(row, name, last=name == noun.ids[-1]) or within.get(name) for name in noun.ids]
        return None if None in found else address_of(noun, found)

    def noun_of_id(self, name: str, beside: Mapping[str, Any]) -> Resource | None:
        """Return the noun of the record that an id means, or None for other numbers."""
        if name.endswith("_by"):
            return self._places.nouns.by_key.get("users")
        if not name.endswith("_id"):
            return None
        kind = beside.get(f"{name.removesuffix('_id')}_kind")
        if isinstance(kind, str):
            return self._places.nouns.by_key.get(NOUNS_OF_KINDS.get(kind.lower(), ""))
        return self._places.nouns.referred_to(name)

    def _referred_address(self, noun: Resource, value: int) -> str | None:
        if len(noun.ids) != 1 or not may_use(self._session, noun.record or noun.listing):
            return None
        return address_of(noun, [value])

    def _known(self, message_id: str) -> Words | None:
        text = self._say(message_id)
        return None if text == message_id else Words(text)


def _key_of(noun: Resource) -> str:
    return noun.key.replace("-", "_")


def _column_rank(name: str) -> int:
    """Return the rank of a column: names, state, people, amounts, times, the rest."""
    kind = kind_of_value(name, 1)
    if name == "id" or name in NAMING_FIELDS:
        return 0
    if name.endswith(("status", "state", "active")):
        return 1
    if name.endswith(_PEOPLE):
        return 2
    if kind and kind.kind is Kind.MONEY:
        return 3
    if name in {"day", "date"} or name.endswith(("_at", "_on", "_date")):
        return 4
    return 6 if name.endswith(("_id", "_kind")) else 5


def id_of(noun: Resource, row: Mapping[str, Any]) -> str | None:
    """The id of a record in a list."""
    found = _id_in(row, noun.id_field, last=True) if noun.id_field else None
    return None if found is None else str(found)


def named_beside(id_field: str) -> str:
    """The field that names what an id refers to: `driver_name` beside `driver_id`."""
    return f"{id_field.removesuffix('_id')}_name"


def facts_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a record, without empty values and names shown on links."""
    linked = {named_beside(name) for name, value in record.items() if name.endswith("_id") and value is not None}
    empty: tuple[Any, ...] = (None, "", [], {})
    return {
        name: value
        for name, value in record.items()
        if name not in UNSHOWN and name not in linked and value not in empty
    }


def possible_columns(row: type[Struct]) -> Iterator[str]:
    """The members of a record that fit into a cell."""
    for name, kind in get_type_hints(row).items():
        if name in row.__struct_fields__ and name not in UNSHOWN and _fits_a_cell(kind):
            yield name


def record_in(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record that an answer is about: its only part, else the answer itself."""
    parts = [value for value in answer.values() if isinstance(value, dict)]
    plain = [name for name, value in answer.items() if name not in UNSHOWN and not isinstance(value, (dict, list))]
    return parts[0] if parts and not plain else answer


def _fits_a_cell(kind: Any) -> bool:
    if get_origin(kind) is Annotated:
        return _fits_a_cell(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return all(_fits_a_cell(part) for part in get_args(kind))
    if get_origin(kind) is Literal:
        return True
    if not isinstance(kind, type):
        return False
    if issubclass(kind, Struct):
        return not {"name", "address"}.isdisjoint(kind.__struct_fields__)
    return issubclass(kind, (str, int, float, bool, Enum, date, datetime, time, NoneType, UnsetType))


def _id_in(row: Mapping[str, Any], name: str, *, last: bool) -> Any:
    """Return an ID in a row, under its own name or as the row's `id`."""
    own = row.get(snake_case(name))
    return row.get("id") if own is None and last else own
