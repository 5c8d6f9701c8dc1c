"""What a client asks of its drivers' app, and what a driver has to hand in at the door."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error

PROOF_INCOMPLETE = declare_error("proof_incomplete", 422)
TOO_FAR_FROM_STOP = declare_error("too_far_from_stop", 409)


class DriverStopProof(Struct, frozen=True, kw_only=True):
    """What a driver shows for the end of a stop. `away_m` is None where one of the two places is not known."""

    recipient: str | None = None
    signature: str | None = None
    photos: Sequence[str] = ()
    note: str | None = None
    position_known: bool = False
    away_m: int | None = None


def check_delivery_proof(policy: RiderPolicy, shown: DriverStopProof) -> OperationError | None:
    """Why this is not enough to end a delivery, or None."""
    if faults := tuple(_missing_proof(policy, shown)):
        return PROOF_INCOMPLETE.for_fields(*faults)
    if policy.max_distance_m is not None and shown.away_m is not None and shown.away_m > policy.max_distance_m:
        return TOO_FAR_FROM_STOP(distance_m=shown.away_m, most_m=policy.max_distance_m)
    return None


def check_failure_proof(shown: DriverStopProof, *, asks_photo: bool, asks_note: bool) -> OperationError | None:
    """Why this is not enough to give a stop up for a reason, or None."""
    faults: list[FieldError] = []
    if asks_photo and not shown.photos:
        faults.append(FieldError("photos", "field.photo_needed"))
    if asks_note and not shown.note:
        faults.append(FieldError("note", "field.note_needed"))
    return PROOF_INCOMPLETE.for_fields(*faults) if faults else None


def _missing_proof(policy: RiderPolicy, shown: DriverStopProof) -> Iterator[FieldError]:
    if policy.photo_required and not shown.photos:
        yield FieldError("photos", "field.photo_needed")
    if policy.signature_required and not shown.signature:
        yield FieldError("signature", "field.signature_needed")
    if policy.recipient_required and not shown.recipient:
        yield FieldError("recipient", "field.recipient_needed")
    if policy.max_distance_m is not None and not shown.position_known:
        yield FieldError("position", "field.position_needed")
