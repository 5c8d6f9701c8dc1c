"""When a token can still be rotated."""

from datetime import datetime

from haulier.kernel.errors import problem

TOKEN_ENDED = problem("token_ended", 409)


def demand_working(revoked_at: datetime | None, expires_at: datetime, now: datetime) -> None:
    """A token that ended gets no new text: issue another. Raises `TOKEN_ENDED`."""
    if revoked_at is not None or expires_at <= now:
        raise TOKEN_ENDED()
