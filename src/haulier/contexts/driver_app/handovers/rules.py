"""What has to prove a delivery, and how long a driver may read who is at a door."""

from haulier.contexts.driver_app.handovers.contract import RequiredProof
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN, StopKind, StopStatus

OVER = frozenset({RouteStatus.FINISHED, RouteStatus.CANCELLED})


def required_proof(
    policy: RiderPolicy, *, signature: bool = False, photo: bool = False, pin: bool = False, minimum_age: int | None
) -> RequiredProof:
    """What has to prove a delivery: what the client's policy or the order asks for."""
    return RequiredProof(
        signature=policy.signature_required or signature,
        photo=policy.photo_required or photo,
        recipient=policy.recipient_required,
        pin=pin,
        minimum_age=minimum_age,
        max_distance_m=policy.max_distance_m,
    )


def is_contact_shown(stop: StopStatus, route: RouteStatus) -> bool:
    """Whether a driver has a reason to know who is at the door: only while they are still to go there."""
    return stop in OPEN and route not in OVER


def contact_end(kind: StopKind) -> str:
    """The end of the order at which a stop is: where it is collected, or where it is delivered."""
    return "shipper" if kind is StopKind.PICKUP else "consignee"
