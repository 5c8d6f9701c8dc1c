"""Interface of the driver app for other contexts."""

from haulier.contexts.driver_app.day.queries import list_route_answers
from haulier.contexts.driver_app.policy.actions import set_positions_kept_days
from haulier.contexts.driver_app.policy.queries import get_positions_kept_days
from haulier.contexts.driver_app.positions.queries import (
    PositionRow,
    get_latest_positions,
    list_positions_since,
    positions,
)
from haulier.contexts.driver_app.proof.actions import DriverProofAtDoor
from haulier.contexts.driver_app.scans.queries import ScannedLoading

__all__ = [
    "DriverProofAtDoor",
    "PositionRow",
    "ScannedLoading",
    "get_latest_positions",
    "get_positions_kept_days",
    "list_positions_since",
    "list_route_answers",
    "positions",
    "set_positions_kept_days",
]
