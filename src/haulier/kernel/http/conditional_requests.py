"""Conditional requests with ETag and Last-Modified (RFC 9110)."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

from msgspec import Struct

from haulier.kernel.operations.caching import Fingerprint

ONE_SECOND = timedelta(seconds=1)


class Preconditions(Struct, frozen=True):
    """Preconditions of a request: the version of the answer that the caller has."""

    etag: str | None = None
    since: str | None = None
    form: str = ""
    """Form of the answer that is requested, if the interface decides it."""

    @property
    def is_conditional(self) -> bool:
        """True if the request names a version of the answer."""
        return self.etag is not None or self.since is not None


def matches_preconditions(preconditions: Preconditions | None, etag: str, fingerprint: Fingerprint) -> bool:
    """Return True if the caller has this answer.

    If-None-Match takes precedence over the date.
    """
    if preconditions is None:
        return False
    if preconditions.etag is not None:
        return preconditions.etag.strip() == "*" or etag.removeprefix("W/") in parse_entity_tags(preconditions.etag)
    if preconditions.since is None or fingerprint.modified is None:
        return False
    since = _parse_http_date(preconditions.since)
    return since is not None and fingerprint.modified < since + ONE_SECOND


def parse_entity_tags(text: str) -> set[str]:
    """Return the tags of an If-None-Match header for weak comparison."""
    return {tag.strip().removeprefix("W/") for tag in text.split(",")}


def format_http_date(moment: datetime) -> str:
    """Format a moment as an HTTP date (RFC 9110, 5.6.7)."""
    return format_datetime(moment.astimezone(UTC), usegmt=True)


def _parse_http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
