"""The shape of a dataset's records: what its values must be, and what is stored beside them so that they are found."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.datasets.datasets.rules.schemas import values_faults
from haulier.contexts.datasets.records.rules.cells import place_cell
from haulier.contexts.datasets.records.rules.keys import MAX_RECORD_KEY, record_key
from haulier.contexts.places.geocoding.rules.part_names import part_of_address
from haulier.contexts.places.geocoding.rules.written_addresses import UnreadAddress
from haulier.kernel.data.full_text import owner_prefix
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import CompiledSchema, compile_schema
from haulier.kernel.values.sort_keys import sort_key
from haulier.kernel.values.words import fold_words

SLOTS = ("k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8")
"""The columns in which the sort keys of indexed fields are kept."""
MAX_ADDRESS = 300
_NAMED_PARTS = frozenset({"city", "region", "postal_code", "country"})


class PlaceStatus:
    """How a record came by its place."""

    NONE = "none"
    GIVEN = "given"
    EXACT = "exact"
    APPROXIMATE = "approximate"
    NOT_FOUND = "not_found"


class PlaceFault:
    """Why the place of a record was not found."""

    NO_ADDRESS = "no_address"
    NO_COUNTRY = "no_country"
    UNKNOWN = "unknown"


class RecordDraft(Struct, frozen=True):
    """A record as somebody sends it."""

    values: dict[str, Any]
    lat: float | None = None
    lng: float | None = None


class Shape(Struct, frozen=True):
    """What a dataset says of its records, ready for use."""

    dataset_id: int
    schema: CompiledSchema
    version: int
    slots: tuple[str | None, ...]
    key_field: str | None
    address_fields: tuple[str, ...]

    def faults(self, draft: RecordDraft) -> list[FieldError]:
        """What is wrong with a record; each fault names its field."""
        faults = values_faults(self.schema, draft.values, "values")
        if (draft.lat is None) != (draft.lng is None):
            faults.append(FieldError("lng" if draft.lng is None else "lat", "field.missing"))
        if not faults and self.key_field and self.key(draft.values) is None:
            faults.append(FieldError(f"values.{self.key_field}", "field.key_too_long", {"most": MAX_RECORD_KEY}))
        return faults

    def key(self, values: Mapping[str, Any]) -> str | None:
        """What tells a record from the others; None where the dataset has no key field."""
        return record_key(self._part(self.key_field), values.get(self.key_field)) if self.key_field else None

    def _part(self, field: str) -> Mapping[str, Any]:
        return self.schema.fields.get(field, {})

    def sort_keys(self, values: Mapping[str, Any]) -> dict[str, str | None]:
        """The sort keys by their columns; None in a column that no field has."""
        return {
            column: (sort_key(self._part(name), values.get(name)) if name else None)
            for column, name in zip(SLOTS, self.slots, strict=True)
        }

    def column_of(self, field: str) -> str | None:
        """The column that a field is filtered and sorted by; None for one that is not indexed."""
        if field == self.key_field:
            return "key"
        return SLOTS[self.slots.index(field)] if field in self.slots else None

    def filter_key(self, field: str, value: Any) -> str | None:
        """A value as the column of its field holds it; None for one that the field cannot have."""
        as_key = record_key if field == self.key_field else sort_key
        return as_key(self._part(field), value)

    def words(self, values: Mapping[str, Any]) -> str:
        """The words by which a record is found, as the word table holds them."""
        owner = owner_prefix(self.dataset_id)
        return " ".join([f"{owner}{word}" for word in fold_words(*_texts(values))])

    def address(self, values: Mapping[str, Any]) -> str:
        """The address of a record in one line; empty where it has none."""
        parts = (str(values[name]).strip() for name in self.address_fields if values.get(name) not in (None, ""))
        return ", ".join(part for part in parts if part)[:MAX_ADDRESS]

    def written_address(self, values: Mapping[str, Any], home_country: str | None) -> UnreadAddress | None:
        """The address of a record by its parts, as far as fields are called so, and the rest as a text; None without any."""
        parts: dict[str, str] = {}
        texts: list[str] = []
        for name in self.address_fields:
            text = str(values.get(name) or "").strip()[:MAX_ADDRESS]
            part = part_of_address(name)
            if part in _NAMED_PARTS and text:
                parts[part] = text
            elif text and part != "unit":
                texts.append(text)
        if not parts and not texts:
            return None
        return UnreadAddress(", ".join(texts)[:MAX_ADDRESS], **parts, home_country=home_country)

    def columns(self, draft: RecordDraft) -> dict[str, Any]:
        """What is stored of a record that was judged."""
        return {
            "key": self.key(draft.values),
            "values": draft.values,
            "schema_version": self.version,
            **place_columns(draft.lat, draft.lng, PlaceStatus.GIVEN),
            **self.sort_keys(draft.values),
        }


def place_columns(lat: float | None, lng: float | None, status: str) -> dict[str, Any]:
    """What is stored of a place and how it was found; of no place, that there is none."""
    how = {"place_quality": None, "place_fault": None}
    if lat is None or lng is None:
        return {"lat": None, "lng": None, "cell": None, "place": PlaceStatus.NONE, **how}
    return {"lat": lat, "lng": lng, "cell": place_cell(lat, lng), "place": status, **how}


def make_shape(
    dataset_id: int,
    schema: Mapping[str, Any],
    version: int,
    slots: Sequence[str | None],
    key_field: str | None,
    address_fields: Sequence[str],
) -> Shape:
    """The shape of a dataset's records."""
    return Shape(dataset_id, compile_schema(schema), version, tuple(slots), key_field, tuple(address_fields))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
