"""What a client asks of its drivers' app, and what a driver has to hand in at the door."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from haulier.kernel.errors import Fault, Refusal, problem

PROOF_INCOMPLETE = problem("proof_incomplete", 422)
TOO_FAR_FROM_STOP = problem("too_far_from_stop", 409)


class RiderPolicy(Struct, frozen=True, kw_only=True):
    """A client's rules for its drivers' app. `max_distance_m` is None where a delivery may be ended anywhere."""

    photo_required: bool = False
    signature_required: bool = False
    recipient_required: bool = False
    max_distance_m: int | None = None
    position_every_s: int = 15
    positions_kept_days: int = 30
    offer_seconds: int = 60
    offer_radius_m: int = 5_000
    riders_per_round: int = 5
    rounds_max: int = 3


class Shown(Struct, frozen=True, kw_only=True):
    """What a driver shows for the end of a stop. `away_m` is None where one of the two places is not known."""

    recipient: str | None = None
    signature: str | None = None
    photos: Sequence[str] = ()
    note: str | None = None
    position_known: bool = False
    away_m: int | None = None


def why_not_delivered(policy: RiderPolicy, shown: Shown) -> Refusal | None:
    """Why this is not enough to end a delivery, or None."""
    if faults := tuple(_missing(policy, shown)):
        return PROOF_INCOMPLETE.at(*faults)
    if policy.max_distance_m is not None and shown.away_m is not None and shown.away_m > policy.max_distance_m:
        return TOO_FAR_FROM_STOP(distance_m=shown.away_m, most_m=policy.max_distance_m)
    return None


def why_not_failed(shown: Shown, *, asks_photo: bool, asks_note: bool) -> Refusal | None:
    """Why this is not enough to give a stop up for a reason, or None."""
    faults: list[Fault] = []
    if asks_photo and not shown.photos:
        faults.append(Fault("photos", "field.photo_needed"))
    if asks_note and not shown.note:
        faults.append(Fault("note", "field.note_needed"))
    return PROOF_INCOMPLETE.at(*faults) if faults else None


def _missing(policy: RiderPolicy, shown: Shown) -> Iterator[Fault]:
    if policy.photo_required and not shown.photos:
        yield Fault("photos", "field.photo_needed")
    if policy.signature_required and not shown.signature:
        yield Fault("signature", "field.signature_needed")
    if policy.recipient_required and not shown.recipient:
        yield Fault("recipient", "field.recipient_needed")
    if policy.max_distance_m is not None and not shown.position_known:
        yield Fault("position", "field.position_needed")
