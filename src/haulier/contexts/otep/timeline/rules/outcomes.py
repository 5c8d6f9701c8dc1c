"""Outcomes of deliveries: the values, the public part, and the words."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import UNSET, UnsetType

from haulier.contexts.otep.timeline.contract import DeliveryOutcome, OutcomePieces


class HandedTo(StrEnum):
    """Who received a delivery, or where it was left."""

    RECIPIENT = "recipient"
    HOUSEHOLD = "household"
    NEIGHBOUR = "neighbour"
    SAFE_PLACE = "safe_place"
    RECEPTION = "reception"
    MAILBOX = "mailbox"
    LOCKER = "locker"
    OTHER = "other"


HANDED_TO = tuple(each.value for each in HandedTo)
UNDELIVERED = ("missing", "damaged", "refused")
"""The outcomes of pieces that were not handed over."""


def public_outcome(outcome: DeliveryOutcome) -> DeliveryOutcome | UnsetType:
    """Return an outcome without names, places and tracking numbers, unset where nothing else is known."""
    pieces = outcome.pieces
    if outcome.handed_to is UNSET and not pieces:
        return UNSET
    counts = OutcomePieces(total=pieces.total, delivered=pieces.delivered) if pieces else UNSET
    return DeliveryOutcome(handed_to=outcome.handed_to, pieces=counts)


def is_plain(outcome: DeliveryOutcome) -> bool:
    """Return True if the status describes the delivery completely: all pieces, to the recipient."""
    return not outcome.pieces and outcome.handed_to in {UNSET, HandedTo.RECIPIENT.value}


def describe_outcome(texts: Mapping[str, str], description: str, outcome: DeliveryOutcome) -> str:
    """Return the description of a delivery with its outcome, by the messages of a language."""
    known = None if is_plain(outcome) or not outcome.handed_to else texts.get(f"otep.outcome.{outcome.handed_to}")
    words = known or description
    if outcome.left_at:
        words = texts["otep.outcome.at"].format(outcome=words, place=outcome.left_at)
    if outcome.name:
        words = texts["otep.outcome.by_name"].format(outcome=words, name=outcome.name)
    if outcome.pieces:
        counts = {"delivered": outcome.pieces.delivered, "of": outcome.pieces.total}
        words = texts["otep.outcome.in_part"].format(outcome=words, **counts)
    return words


def build_outcome(
    handed_to: HandedTo | None, recipient: str | None, left_at: str | None = None
) -> DeliveryOutcome | None:
    """Return the outcome of a delivery, or None if none was reported.

    A plain recipient is named in the proof alone."""
    if handed_to is None:
        return None
    other = handed_to is not HandedTo.RECIPIENT
    return DeliveryOutcome(
        handed_to=handed_to.value, name=(recipient if other else None) or UNSET, left_at=left_at or UNSET
    )
