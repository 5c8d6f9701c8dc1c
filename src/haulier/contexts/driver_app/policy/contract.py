"""What goes in and out of the driver app's policy."""

from pydantic import Field

from haulier.contexts.driver_app.policy.rules import LoadingPolicy, RiderPolicy
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request


class SetRiderPolicy(Request):
    """A client's rules for its drivers' app, all of them; what is left out is set to what holds by default."""

    photo_required: bool = False
    """A delivery needs a photo."""
    signature_required: bool = False
    """A delivery needs a signature."""
    recipient_required: bool = False
    """A delivery needs the name of who took it."""
    max_distance_m: int | None = Field(default=None, ge=20, le=100_000)
    """A delivery farther from the stop is refused, in metres. Without one it is only noted how far away it was."""
    position_every_s: int = Field(default=15, ge=1, le=3600)
    """At most one point is kept for each stretch of so many seconds."""
    positions_kept_days: int = Field(default=30, ge=1, le=400)
    """After so many days the points are deleted."""
    offer_seconds: int = Field(default=60, ge=10, le=3600)
    """How long an order offered on demand waits for an answer before others are asked."""
    offer_radius_m: int = Field(default=5_000, ge=100, le=100_000)
    """How far the first round reaches; the second reaches twice as far, and so on."""
    riders_per_round: int = Field(default=5, ge=1, le=50)
    """How many riders are asked at once; 1 asks one after the other."""
    rounds_max: int = Field(default=3, ge=1, le=20)
    """After so many rounds without a rider the offer ends."""
    loading_check: LoadingPolicy = LoadingPolicy.IGNORE
    """What happens at the start when a piece was not scanned while loading: nothing, the driver is told, or may not leave."""


class RiderPolicyAnswer(Answer):
    """The rules in force."""

    result: bool = True
    policy: RiderPolicy
