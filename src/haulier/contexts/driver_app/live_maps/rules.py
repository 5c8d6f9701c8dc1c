"""Rules on what recipients see of their driver."""

from datetime import datetime, timedelta
from enum import StrEnum

MAX_STOPS_BEFORE = 3
"""The driver is shown from this number of stops before the recipient's, so that other addresses stay private."""
MAX_AGE = timedelta(minutes=10)
"""Age from which a position is not shown."""
DIGITS = 4
"""Digits of shown coordinates, about ten metres."""


class LiveMapState(StrEnum):
    """State of a recipient's live map."""

    LIVE = "live"
    SOON = "soon"
    NO_POSITION = "no_position"
    OFF = "off"


def live_map_state(stops_before: int, observed_at: datetime | None, now: datetime) -> LiveMapState:
    """Return the state of a map while the delivery is on the way."""
    if stops_before > MAX_STOPS_BEFORE:
        return LiveMapState.SOON
    if observed_at is None or now - observed_at > MAX_AGE:
        return LiveMapState.NO_POSITION
    return LiveMapState.LIVE
