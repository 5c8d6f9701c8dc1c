"""Rules for the proof that a driver must give to complete a stop."""

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from haulier.contexts.driver_app.handovers.contract import RequiredProof
from haulier.contexts.orders.delivery_orders.rules.packages import find_piece_faults
from haulier.contexts.otep.public import HandedTo
from haulier.contexts.routes.stops.rules import PROOF_INCOMPLETE
from haulier.contexts.settlements.cash_on_delivery.rules import CodPart, interface_faults
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error
from haulier.kernel.values.money import Money

TOO_FAR_FROM_STOP = declare_error("too_far_from_stop", 409)


DAMAGED = "damaged"


class DriverStopProof(Struct, frozen=True, kw_only=True):
    """The proof that a driver gives for the end of a stop.

    `away_m` is how far they are from the stop in metres, None where one of the two places is not known.
    """

    recipient: str | None = None
    handed_to: HandedTo | None = None
    signature: str | None = None
    photos: Sequence[str] = ()
    note: str | None = None
    pin: str | None = None
    age_checked: bool = False
    cod: Sequence[CodPart] = ()
    cod_reason: str | None = None
    position_known: bool = False
    away_m: int | None = None


def check_delivery_proof(required: RequiredProof, due: Money | None, proof: DriverStopProof) -> OperationError | None:
    """Return the error for insufficient proof of a delivery, or None.

    `due` is the cash to collect.
    """
    if field_errors := (*_missing_proof(required, proof), *interface_faults(due, proof.cod, proof.cod_reason)):
        return PROOF_INCOMPLETE.for_fields(*field_errors)
    if required.max_distance_m is not None and proof.away_m is not None and proof.away_m > required.max_distance_m:
        return TOO_FAR_FROM_STOP(distance_m=proof.away_m, most_m=required.max_distance_m)
    return None


def check_failure_proof(proof: DriverStopProof, *, asks_photo: bool, asks_note: bool) -> OperationError | None:
    """Why this proof is not enough to fail a stop for a reason, or None."""
    field_errors: list[FieldError] = []
    if asks_photo and not proof.photos:
        field_errors.append(FieldError("photos", "field.photo_needed"))
    if asks_note and not proof.note:
        field_errors.append(FieldError("note", "field.note_needed"))
    return PROOF_INCOMPLETE.for_fields(*field_errors) if field_errors else None


def _missing_proof(required: RequiredProof, proof: DriverStopProof) -> Iterator[FieldError]:
    if (required.photo or proof.handed_to is HandedTo.SAFE_PLACE) and not proof.photos:
        yield FieldError("photos", "field.photo_needed")
    if required.signature and not proof.signature:
        yield FieldError("signature", "field.signature_needed")
    if (required.recipient or proof.handed_to is HandedTo.NEIGHBOUR) and not proof.recipient:
        yield FieldError("recipient", "field.recipient_needed")
    if required.pin and not proof.pin:
        yield FieldError("pin", "field.pin_needed")
    if required.minimum_age is not None and not proof.age_checked:
        yield FieldError("age_checked", "field.age_check_needed", {"age": required.minimum_age})
    if required.max_distance_m is not None and not proof.position_known:
        yield FieldError("position", "field.position_needed")


class ReportedPiece(Protocol):
    """Fields of a reported package that the rules read."""

    @property
    def barcode(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def photos(self) -> Sequence[str]: ...


def faults_of_pieces(reported: Sequence[ReportedPiece], barcodes: Collection[str]) -> Iterator[FieldError]:
    """Yield validation errors for reported packages; damaged ones need a photo."""
    named = [piece.barcode.upper() for piece in reported]
    for number, piece in enumerate(reported):
        if named[number] in barcodes and piece.outcome == DAMAGED and not piece.photos:
            yield FieldError(f"pieces.{number}.photos", "field.photo_needed")
    yield from find_piece_faults(named, barcodes)
