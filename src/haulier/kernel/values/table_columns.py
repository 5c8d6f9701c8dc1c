"""Assignment of a file's columns to fields, by mapping or by name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from haulier.kernel.values.words import fold_words


def plain_column_name(name: str) -> str:
    """Normalize a column name: `Postal Code` becomes `postal_code`."""
    return "_".join(fold_words(name))


def match_columns(
    header: Sequence[str], mapping: Mapping[Any, str | None], fields: Iterable[str], other_names: Mapping[str, str]
) -> dict[str, int]:
    """Return the column of each field.

    A column is found by mapping, by the field's name, or by another name for it.

    A field mapped to None has no column. Of columns with the same name, the first counts. Raises `KeyError` for a
    mapped column that does not exist.
    """
    known = set(fields)
    places = {name: index for index, name in reversed(list(enumerate(header)))}
    plain = {plain_column_name(name): index for index, name in reversed(list(enumerate(header)))}
    found = {other_names[name]: index for name, index in reversed(plain.items()) if name in other_names}
    found |= {name: index for name, index in plain.items() if name in known}
    found |= {str(field): places[column] for field, column in mapping.items() if column is not None}
    left_out = {str(field) for field, column in mapping.items() if column is None}
    return {field: index for field, index in found.items() if field in known - left_out}
