"""Carrier tables: TOML files, loaded and validated on first use."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, convert

from haulier.contexts.otep.carriers.rules.text_normalization import (
    normalize_word,
    split_status_path,
    strip_leading_zeros,
)
from haulier.contexts.otep.vocabulary.rules import INCIDENT_REASONS, PHASE_RANK, resolve_status
from haulier.late_import import LateMapping

T = TypeVar("T")


class SourceDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """Source of codes: address, day of reading, and edition."""

    title: str
    address: str
    read: date
    edition: str = ""


class CarrierStatusRow(Struct, frozen=True, forbid_unknown_fields=True):
    """Meaning of one code: status code, incident reason, and short text."""

    status: str
    means: str
    reason: str | None = None


class CarrierSheet(Struct, frozen=True, forbid_unknown_fields=True):
    """A table as in its file.

    `families`: the phase of unlisted codes by their beginning. `silent`: words that add no meaning to another one.
    `reasons`: details after a status (`status:detail`) that give only a reason. `leading_zeros`: whether the carrier
    writes numbers both with and without them.
    """

    name: str
    sources: tuple[SourceDocument, ...]
    codes: dict[str, CarrierStatusRow]
    aliases: tuple[str, ...] = ()
    families: dict[str, str] = {}
    silent: tuple[str, ...] = ()
    reasons: dict[str, str] = {}
    leading_zeros: bool = False


class CarrierTable:
    """A carrier table with normalised words for lookups."""

    def __init__(self, key: str, sheet: CarrierSheet) -> None:
        """Load a table.

        Raises with all faults for a table without a source, with an unknown target, or with a duplicate code.
        """
        self.key, self.sheet = key, sheet
        self.names = frozenset(map(normalize_word, (key, sheet.name, *sheet.aliases)))
        if faults := [*self._faults()]:
            raise ValueError(f"{key}: {'; '.join(faults)}")
        self.rows = self._plain(sheet.codes)
        self.reasons = self._plain(sheet.reasons)
        self.silent = frozenset(self._plain(dict.fromkeys(sheet.silent)))
        longest_first = sorted(self._plain(sheet.families).items(), key=lambda family: -len(family[0]))
        self.families: dict[str, str] = dict(longest_first)

    def row(self, word: str) -> CarrierStatusRow | None:
        """Return the row of a word or path, or None.

        The carrier's own name before it is optional.
        """
        shorter = (word.removeprefix(name) for name in self.names if word.startswith(name))
        return next(filter(None, map(self.rows.get, (word, *shorter))), None)

    def family(self, word: str) -> str | None:
        """Return the phase of the longest family that a word belongs to."""
        return next((phase for begin, phase in self.families.items() if word.startswith(begin)), None)

    def words(self, status: str) -> list[str]:
        """Return the words of a status from coarse to fine, in their plain form."""
        return [self._word(word) for word in split_status_path(status)]

    def _word(self, word: str) -> str:
        return strip_leading_zeros(word) if self.sheet.leading_zeros else word

    def _plain(self, values: Mapping[str, T]) -> dict[str, T]:
        return {":".join(self.words(word)): value for word, value in values.items()}

    def _faults(self) -> Iterator[str]:
        sheet = self.sheet
        if not sheet.sources:
            yield "no source"
        for code, row in sheet.codes.items():
            target = resolve_status(row.status)
            if target is None or target.code != row.status:
                yield f"{code}: unknown status {row.status}"
            elif row.reason and (row.reason not in INCIDENT_REASONS or not target.exception):
                yield f"{code}: {row.reason} is no reason of {row.status}"
        yield from (
            f"{word}: unknown phase {phase}" for word, phase in sheet.families.items() if phase not in PHASE_RANK
        )
        yield from (
            f"{word}: unknown reason {why}" for word, why in sheet.reasons.items() if why not in INCIDENT_REASONS
        )
        yield from (
            f"{word} defined twice" for word in _duplicates([":".join(self.words(code)) for code in sheet.codes])
        )


def _duplicates(names: list[str]) -> list[str]:
    return [word for word, times in Counter(names).items() if times > 1]


def _read_table(file: Path) -> CarrierTable:
    return CarrierTable(file.stem, convert(tomllib.loads(file.read_text(encoding="utf-8")), CarrierSheet))


CARRIER_TABLES: Mapping[str, CarrierTable] = LateMapping(
    lambda: {file.stem: _read_table(file) for file in sorted(Path(__file__).parents[1].glob("*.toml"))}
)
"""Every table by the name of its file."""
