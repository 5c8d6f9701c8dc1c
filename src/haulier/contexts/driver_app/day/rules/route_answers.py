"""What a driver may answer to a route they were given."""

from enum import StrEnum


class RouteAnswerValue(StrEnum):
    """A driver's answer to a route."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
