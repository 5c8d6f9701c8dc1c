"""Life cycle of a ship-out, and its price factors."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

SHIPOUT_STEP_REFUSED = declare_error("shipout_step_refused", 409)
SHIPOUT_QUOTE_MISMATCH = declare_error("shipout_quote_mismatch", 409)
INBOUND_PARCEL_NOT_MEASURED = declare_error("inbound_parcel_not_measured", 409)
MM3_IN_CM3 = 1_000


class ShipoutStatus(StrEnum):
    """The status of a ship-out."""

    PENDING = "pending"
    """The business has not confirmed yet."""
    CONFIRMED = "confirmed"
    SHIPPED = "shipped"
    """It has left with its packages."""
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


class ShipoutStep(StrEnum):
    """Steps of a ship-out."""

    CONFIRM = "confirm"
    SHIP = "ship"
    DELIVER = "deliver"
    CANCEL = "cancel"


class ShipoutFulfilment(StrEnum):
    """Kinds of fulfilment."""

    LOCAL_DELIVERY = "local_delivery"
    """Delivered by the client's own drivers."""
    LABEL = "label"
    """Sent with a carrier; a job or staff buy the label."""


_S = ShipoutStatus


def _refused(step: ShipoutStep, status: ShipoutStatus) -> OperationError:
    return SHIPOUT_STEP_REFUSED(step=step.value, status=status.value)


SHIPOUT_LIFE = StateMachine(
    {
        ShipoutStep.CONFIRM: {_S.PENDING: _S.CONFIRMED},
        ShipoutStep.SHIP: {_S.CONFIRMED: _S.SHIPPED},
        ShipoutStep.DELIVER: {_S.SHIPPED: _S.DELIVERED},
        ShipoutStep.CANCEL: {_S.PENDING: _S.CANCELLED, _S.CONFIRMED: _S.CANCELLED},
    },
    created={_S.PENDING: "ordered"},
    error=_refused,
)


def next_shipout_status(step: ShipoutStep, status: str) -> ShipoutStatus:
    """Return the status after a step. Raises `SHIPOUT_STEP_REFUSED`."""
    return SHIPOUT_LIFE.next_status_or_raise(step, ShipoutStatus(status))


def shipout_can_be_cancelled(status: str) -> bool:
    """Return True if it can be cancelled: until it has left."""
    return ShipoutStep.CANCEL in SHIPOUT_LIFE.actions(ShipoutStatus(status))


class PackageFacts(Struct, frozen=True, kw_only=True):
    """Facts of a stored package, or of a received inbound parcel."""

    weight_g: int
    length_mm: int
    width_mm: int
    height_mm: int


class LeavingParcel(Struct, frozen=True, kw_only=True):
    """A parcel that leaves: a package as it is, or several that are packed into one."""

    weight_g: int
    package: PackageFacts | None
    """The package, where it is one as it is: then its size is known."""


def contents_of_parcels(
    parcels: Sequence[Sequence[int]], inbound: Sequence[Sequence[int]] | None
) -> list[tuple[Sequence[int], Sequence[int]]]:
    """Return the ids of stored packages and inbound parcels in each outgoing parcel."""
    return list(zip(parcels, inbound or [()] * len(parcels), strict=True))


def leaving_parcels(
    contents: Sequence[tuple[Sequence[int], Sequence[int]]],
    packages: Mapping[int, PackageFacts],
    inbound: Mapping[int, PackageFacts],
) -> list[LeavingParcel]:
    """Return the parcels that leave, from what is in each."""
    taken = [[*(packages[id] for id in ids), *(inbound[id] for id in others)] for ids, others in contents]
    return [
        LeavingParcel(weight_g=sum(each.weight_g for each in facts), package=facts[0] if len(facts) == 1 else None)
        for facts in taken
    ]


def volume_cm3(packages: Collection[PackageFacts]) -> int:
    """Return the volume of packages in cubic centimetres, rounded up."""
    return -(-sum(each.length_mm * each.width_mm * each.height_mm for each in packages) // MM3_IN_CM3)
