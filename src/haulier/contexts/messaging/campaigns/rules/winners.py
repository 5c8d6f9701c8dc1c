"""Which variant of a campaign goes to the rest of its audience, after a share of it tried them all."""

from collections.abc import Sequence
from enum import StrEnum
from hashlib import blake2b

from msgspec import Struct


class WinnerMeasure(StrEnum):
    """By what variants are compared."""

    VISITS = "visits"
    """The share of texts whose short link was visited: the most wins."""
    STOPS = "stops"
    """The share of texts that were answered with STOP: the least wins."""


class ComparisonState(StrEnum):
    """How far the test of a campaign's variants is."""

    SAMPLING = "sampling"
    """The sample gets its texts, or will."""
    MEASURING = "measuring"
    """The sample has its texts; visits and stops are counted."""
    CHOSEN = "chosen"
    """The rest of the audience gets the winner."""


class ChosenBy(StrEnum):
    """Who chose a winner."""

    RULE = "rule"
    PERSON = "person"


class VariantTally(Struct, frozen=True):
    """What came of the texts of a variant that were handed over."""

    key: str
    texts: int
    visited: int
    stopped: int


def choose_winner(tallies: Sequence[VariantTally], measure: WinnerMeasure) -> str:
    """Return the variant with the best share by the measure; then by the other; then the first by its letter.

    A variant that went to nobody has visits and stops of nobody: it loses by visits and by stops to any that went to
    somebody.
    """

    def order(tally: VariantTally) -> tuple[float, float, float, str]:
        visits, stops = -tally.visited / max(tally.texts, 1), tally.stopped / max(tally.texts, 1)
        shares = (visits, stops) if measure is WinnerMeasure.VISITS else (stops, visits)
        return (float(tally.texts == 0), *shares, tally.key)

    return min(tallies, key=order).key


def is_in_sample(campaign_id: int, number_key: str, sample_percent: int) -> bool:
    """Whether a recipient is of those who try the variants: by the number and the campaign alone."""
    digest = blake2b(f"sample:{campaign_id}:{number_key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) % 100 < sample_percent
