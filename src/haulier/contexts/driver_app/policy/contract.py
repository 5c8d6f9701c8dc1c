"""Request and response models for the driver app policy."""

from pydantic import Field

from haulier.contexts.driver_app.policy.rules import LoadingPolicy, RiderPolicy
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request


class SetRiderPolicy(Request):
    """Complete driver app policy of a client.

    Omitted fields are set to their defaults.
    """

    photo_required: bool = False
    """If true, a delivery requires a photo."""
    signature_required: bool = False
    """If true, a delivery requires a signature."""
    recipient_required: bool = False
    """If true, a delivery requires the name of the receiver."""
    max_distance_m: int | None = Field(default=None, ge=20, le=100_000)
    """Maximum distance from the stop in metres to complete a delivery. Default: no limit; the distance is only
    recorded."""
    position_every_s: int = Field(default=15, ge=1, le=3600)
    """Minimum interval between stored positions in seconds."""
    positions_kept_days: int = Field(default=30, ge=1, le=400)
    """Retention time of positions in days."""
    offer_seconds: int = Field(default=60, ge=10, le=3600)
    """Time in seconds to answer an on-demand offer before other drivers are asked."""
    offer_radius_m: int = Field(default=5_000, ge=100, le=100_000)
    """Radius of the first round in metres. The second round uses twice the radius, and so on."""
    riders_per_round: int = Field(default=5, ge=1, le=50)
    """Number of drivers who get the offer at the same time. 1 asks one after the other."""
    rounds_max: int = Field(default=3, ge=1, le=20)
    """Number of rounds without acceptance after which the offer ends."""
    loading_check: LoadingPolicy = LoadingPolicy.IGNORE
    """Behaviour at the start of a route if packages were not scanned while loading: no check, a warning to the driver,
    or a refusal."""


class RiderPolicyAnswer(Answer):
    """The rules in force."""

    result: bool = True
    policy: RiderPolicy
