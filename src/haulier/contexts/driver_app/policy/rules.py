"""A client's rules for the driver app."""

from enum import StrEnum

from msgspec import Struct


class LoadingPolicy(StrEnum):
    """Behaviour at the start of a route with unscanned packages."""

    IGNORE = "ignore"
    WARN = "warn"
    BLOCK = "block"


class RiderPolicy(Struct, frozen=True, kw_only=True):
    """Driver app policy of a client.

    Without `max_distance_m`, deliveries can be completed anywhere.
    """

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
    loading_check: LoadingPolicy = LoadingPolicy.IGNORE
