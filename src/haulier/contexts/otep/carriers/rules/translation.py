"""Translation of carrier statuses by table lookup."""

from collections.abc import Mapping

from msgspec import Struct

from haulier.contexts.otep.carriers.rules.tables import CARRIER_TABLES, CarrierStatusRow, CarrierTable
from haulier.contexts.otep.carriers.rules.text_normalization import normalize_word
from haulier.contexts.otep.vocabulary.rules import GENERIC_CODES, Phase, phase_of_code, resolve_status
from haulier.late_import import LateMapping

_TABLES_BY_NAME: Mapping[str, CarrierTable] = LateMapping(
    lambda: {name: carrier for carrier in CARRIER_TABLES.values() for name in carrier.names}
)


class TranslatedStatus(Struct, frozen=True, kw_only=True):
    """A carrier's status and its protocol code.

    `known`: its finest word is in the table.
    """

    status_code: str
    phase: str
    raw_status: str
    incident_reason: str | None = None
    known: bool = True


def known_carriers() -> tuple[str, ...]:
    """Return the carriers and aggregators that have a table, in alphabetical order."""
    return tuple(CARRIER_TABLES)


def translate_status(carrier: str, raw_status: str, raw_text: str | None = None) -> TranslatedStatus:
    """Translate a carrier's status.

    A status in steps, `status:detail`, is read from its finest known word; case, spaces, signs and the carrier's own
    name make no difference. `raw_text` is a coarser word that the source sends beside it. An unknown status takes the
    generic code of its family's phase, and without a family it is in transit. Raises nothing: with an unknown carrier
    or an empty text the status is unknown.
    """
    table = _TABLES_BY_NAME.get(normalize_word(carrier))
    if table is None:
        return _unknown_status(raw_status, Phase.TRANSIT.value)
    status = table.words(raw_status)
    spellings = [*table.words(normalize_word(raw_text or "")), *status]
    if match := _finest_row(table, spellings):
        return _known_status(table, *match, raw_status)
    families = filter(None, map(table.family, reversed(status)))
    return _unknown_status(raw_status, next(families, Phase.TRANSIT.value))


def _finest_row(table: CarrierTable, spellings: list[str]) -> tuple[CarrierStatusRow, list[str]] | None:
    """Return the row of the longest known path, and the finer words without a row.

    A silent word is used only if no other word is known.
    """
    silent: tuple[CarrierStatusRow, list[str]] | None = None
    for end in range(len(spellings), 0, -1):
        for start in range(end):
            if row := table.row(":".join(spellings[start:end])):
                if spellings[end - 1] not in table.silent or start < end - 1:
                    return row, spellings[end:]
                silent = silent or (row, spellings[end:])
    return silent


def _known_status(table: CarrierTable, row: CarrierStatusRow, details: list[str], raw_status: str) -> TranslatedStatus:
    target = resolve_status(row.status)
    why = next((table.reasons[word] for word in details if word in table.reasons), None)
    return TranslatedStatus(
        status_code=row.status,
        phase=phase_of_code(row.status),
        raw_status=raw_status,
        incident_reason=(why or row.reason) if target and target.exception else None,
        known=all(word in table.reasons or word in table.silent for word in details),
    )


def _unknown_status(raw_status: str, phase: str) -> TranslatedStatus:
    return TranslatedStatus(status_code=GENERIC_CODES[phase], phase=phase, raw_status=raw_status, known=False)
