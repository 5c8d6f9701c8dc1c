"""Rules for required proof, and for the driver's access to contacts."""

from haulier.contexts.driver_app.handovers.contract import RequiredProof
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN, StopKind, StopStatus

OVER = frozenset({RouteStatus.FINISHED, RouteStatus.CANCELLED})


def required_proof(
    policy: RiderPolicy, *, signature: bool = False, photo: bool = False, pin: bool = False, minimum_age: int | None
) -> RequiredProof:
    """Return the proof that the client's policy or the order requires."""
    return RequiredProof(
        signature=policy.signature_required or signature,
        photo=policy.photo_required or photo,
        recipient=policy.recipient_required,
        pin=pin,
        minimum_age=minimum_age,
        max_distance_m=policy.max_distance_m,
    )


def is_contact_shown(stop: StopStatus, route: RouteStatus) -> bool:
    """Return True if the driver may see the contact. Only before the stop is finished."""
    return stop in OPEN and route not in OVER


def contact_end(kind: StopKind) -> str:
    """Return the end of the order at a stop: pickup or delivery."""
    return "shipper" if kind is StopKind.PICKUP else "consignee"
