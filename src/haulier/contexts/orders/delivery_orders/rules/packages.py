"""Rules of delivery orders: packages."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.otep.public import DeliveryOutcome, OutcomePieces, UndeliveredPiece
from haulier.kernel.operations.errors import FieldError


class HasTrackingNumber(Protocol):
    """The tracking number and the pieces of an order."""

    @property
    def tracking_number(self) -> str: ...


class TrackedPackage(Struct, frozen=True):
    """One package.

    `id` is None for the number of the order itself, which is also that of its first package.
    """

    id: int | None
    order_id: int
    tracking_number: str


def tracked_packages(
    orders: Mapping[int, HasTrackingNumber], packages: Iterable[TrackedPackage]
) -> list[TrackedPackage]:
    """Return the numbers of orders that have a timeline.

    That of each order, and those of its further packages.
    """
    own = [TrackedPackage(None, id, row.tracking_number) for id, row in orders.items()]
    return own + [
        package for package in packages if package.tracking_number != orders[package.order_id].tracking_number
    ]


class PieceOutcome(StrEnum):
    """Outcome of a package.

    `missing` was not found; `damaged` and `refused` go back and become `returned` at the depot.
    """

    DELIVERED = "delivered"
    MISSING = "missing"
    DAMAGED = "damaged"
    REFUSED = "refused"
    RETURNED = "returned"


class LeftPieceOutcome(StrEnum):
    """Why a piece was not handed over with the others."""

    MISSING = PieceOutcome.MISSING.value
    DAMAGED = PieceOutcome.DAMAGED.value
    REFUSED = PieceOutcome.REFUSED.value


GOING_BACK = frozenset({PieceOutcome.DAMAGED, PieceOutcome.REFUSED})


class PieceTracking(Struct, frozen=True):
    """Tracking status and incident reason of a package that was not handed over."""

    status_code: str
    reason: str


PIECE_TRACKING: Mapping[PieceOutcome, PieceTracking] = {
    PieceOutcome.MISSING: PieceTracking("lost", "other"),
    PieceOutcome.DAMAGED: PieceTracking("damaged", "damaged"),
    PieceOutcome.REFUSED: PieceTracking("delivery_failed", "refused"),
}


class PieceLeft(Struct, frozen=True, kw_only=True):
    """A piece that was not handed over with the others."""

    id: int
    tracking_number: str
    outcome: PieceOutcome


def with_pieces(outcome: DeliveryOutcome | None, left: Mapping[str, PieceLeft], total: int) -> DeliveryOutcome:
    """Return the outcome of a delivery in part."""
    undelivered = tuple(
        UndeliveredPiece(tracking_number=piece.tracking_number, outcome=piece.outcome.value) for piece in left.values()
    )
    pieces = OutcomePieces(total=total, delivered=total - len(undelivered), left=undelivered)
    return replace(outcome or DeliveryOutcome(), pieces=pieces)


def pieces_extension(left: Mapping[str, PieceLeft], total: int) -> dict[str, Any]:
    """A delivery in part, as an extension of the order's tracking event."""
    kept = [{"tracking_number": piece.tracking_number, "outcome": piece.outcome.value} for piece in left.values()]
    return {"pieces": {"handed_over": total - len(kept), "of": total, "left": kept}}


def find_piece_faults(left: Sequence[str], barcodes: Collection[str]) -> Iterator[FieldError]:
    """Yield validation errors for packages left, given by their barcodes.

    Barcodes are in capitals. `barcodes` are those of the order.
    """
    for number, barcode in enumerate(left):
        if barcode not in barcodes:
            yield FieldError(f"pieces.{number}.barcode", "field.piece_unknown")
    if len(set(left)) < len(left):
        yield FieldError("pieces", "field.piece_twice")
    elif left and set(barcodes) <= set(left):
        yield FieldError("pieces", "field.pieces_none_left")
