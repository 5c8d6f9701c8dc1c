"""What proof a driver has to give for the end of a stop."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error

PROOF_INCOMPLETE = declare_error("proof_incomplete", 422)
TOO_FAR_FROM_STOP = declare_error("too_far_from_stop", 409)


class DriverStopProof(Struct, frozen=True, kw_only=True):
    """The proof that a driver gives for the end of a stop.

    `away_m` is how far they are from the stop in metres, None where one of the two places is not known.
    """

    recipient: str | None = None
    signature: str | None = None
    photos: Sequence[str] = ()
    note: str | None = None
    position_known: bool = False
    away_m: int | None = None


def check_delivery_proof(policy: RiderPolicy, proof: DriverStopProof) -> OperationError | None:
    """Why this proof is not enough to complete a delivery, or None."""
    if field_errors := tuple(_missing_proof(policy, proof)):
        return PROOF_INCOMPLETE.for_fields(*field_errors)
    if policy.max_distance_m is not None and proof.away_m is not None and proof.away_m > policy.max_distance_m:
        return TOO_FAR_FROM_STOP(distance_m=proof.away_m, most_m=policy.max_distance_m)
    return None


def check_failure_proof(proof: DriverStopProof, *, asks_photo: bool, asks_note: bool) -> OperationError | None:
    """Why this proof is not enough to fail a stop for a reason, or None."""
    field_errors: list[FieldError] = []
    if asks_photo and not proof.photos:
        field_errors.append(FieldError("photos", "field.photo_needed"))
    if asks_note and not proof.note:
        field_errors.append(FieldError("note", "field.note_needed"))
    return PROOF_INCOMPLETE.for_fields(*field_errors) if field_errors else None


def _missing_proof(policy: RiderPolicy, proof: DriverStopProof) -> Iterator[FieldError]:
    if policy.photo_required and not proof.photos:
        yield FieldError("photos", "field.photo_needed")
    if policy.signature_required and not proof.signature:
        yield FieldError("signature", "field.signature_needed")
    if policy.recipient_required and not proof.recipient:
        yield FieldError("recipient", "field.recipient_needed")
    if policy.max_distance_m is not None and not proof.position_known:
        yield FieldError("position", "field.position_needed")
