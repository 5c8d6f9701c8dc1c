"""What a carrier's status means in the protocol's words: a look-up in the carrier's table."""

from msgspec import Struct

from haulier.contexts.tracking.otep.carriers.tables import CARRIERS, Carrier, Row
from haulier.contexts.tracking.otep.carriers.words import plain
from haulier.contexts.tracking.otep.vocabulary import GENERIC, Phase, phase_of, resolve

_NAMES = {name: carrier for carrier in CARRIERS.values() for name in carrier.names}


class Translated(Struct, frozen=True, kw_only=True):
    """A carrier's status in the protocol's words, and as it was told. `known`: its finest word stands in the table."""

    status_code: str
    phase: str
    raw_status: str
    incident_reason: str | None = None
    known: bool = True


def known_carriers() -> tuple[str, ...]:
    """The carriers and aggregators that have a table, in alphabetical order."""
    return tuple(CARRIERS)


def translate(carrier: str, raw_status: str, raw_text: str | None = None) -> Translated:
    """The meaning of a carrier's status.

    A status told in steps, `status:detail`, is read from its finest known word; case, spaces, signs and the carrier's own
    name make no difference. `raw_text` is a coarser word that the source tells beside it. What nobody knows takes the
    generic code of its family's phase, and without a family it is in transit. Raises nothing: an unknown carrier or an
    empty status is one that nobody knows.
    """
    table = _NAMES.get(plain(carrier))
    if table is None:
        return _unknown(raw_status, Phase.TRANSIT.value)
    status = table.words(raw_status)
    told = [*table.words(plain(raw_text or "")), *status]
    if found := _finest(table, told):
        return _known(table, *found, raw_status)
    families = filter(None, map(table.family, reversed(status)))
    return _unknown(raw_status, next(families, Phase.TRANSIT.value))


def _finest(table: Carrier, words: list[str]) -> tuple[Row, list[str]] | None:
    """The row of the longest path that ends at the finest word, and the finer words that have no row.

    A word that says nothing beside another is read alone only when nothing else is known.
    """
    silent: tuple[Row, list[str]] | None = None
    for end in range(len(words), 0, -1):
        for start in range(end):
            if row := table.row(":".join(words[start:end])):
                if words[end - 1] not in table.silent or start < end - 1:
                    return row, words[end:]
                silent = silent or (row, words[end:])
    return silent


def _known(table: Carrier, row: Row, details: list[str], raw_status: str) -> Translated:
    target = resolve(row.status)
    why = next((table.reasons[word] for word in details if word in table.reasons), None)
    return Translated(
        status_code=row.status,
        phase=phase_of(row.status),
        raw_status=raw_status,
        incident_reason=(why or row.reason) if target and target.exception else None,
        known=all(word in table.reasons or word in table.silent for word in details),
    )


def _unknown(raw_status: str, phase: str) -> Translated:
    return Translated(status_code=GENERIC[phase], phase=phase, raw_status=raw_status, known=False)
