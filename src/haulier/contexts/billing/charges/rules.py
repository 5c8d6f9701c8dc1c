"""Rules of charges: when services are charged."""

from enum import StrEnum


class ChargeTime(StrEnum):
    """Time at which a service is charged."""

    ON_DELIVERY = "on_delivery"
    """When the order is delivered."""
    MANUAL = "manual"
    """When staff charge it."""
