"""Which column of a file holds what: by what people said, else by how columns are called."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from haulier.kernel.values.words import fold_words


def plain_column_name(name: str) -> str:
    """A name without case, accents and punctuation: `Postal Code` is `postal_code`."""
    return "_".join(fold_words(name))


def match_columns(
    header: Sequence[str], mapping: Mapping[Any, str | None], fields: Iterable[str], other_names: Mapping[str, str]
) -> dict[str, int]:
    """For each field the column of a file that holds it: as mapped, else by its own name, else by another name for it.

    A field mapped to no column is read from none, whatever columns are called. Of columns with one name the first counts.
    Raises `KeyError` with a column that is mapped and not there.
    """
    known = set(fields)
    places = {name: index for index, name in reversed(list(enumerate(header)))}
    plain = {plain_column_name(name): index for index, name in reversed(list(enumerate(header)))}
    found = {other_names[name]: index for name, index in reversed(plain.items()) if name in other_names}
    found |= {name: index for name, index in plain.items() if name in known}
    found |= {str(field): places[column] for field, column in mapping.items() if column is not None}
    left_out = {str(field) for field, column in mapping.items() if column is None}
    return {field: index for field, index in found.items() if field in known - left_out}
