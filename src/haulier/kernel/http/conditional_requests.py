"""Whether a caller has an answer already: ETag and Last-Modified (RFC 9110), told from a fingerprint of the data."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.kernel.operations.declaration import Fingerprint

if TYPE_CHECKING:
    pass

ONE_SECOND = timedelta(seconds=1)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Preconditions(Struct, frozen=True):
    """What a caller says of the answer that they have."""

    etag: str | None = None
    since: str | None = None
    form: str = ""
    """Which of several forms of the answer is asked for, where the door decides that."""

    @property
    def is_conditional(self) -> bool:
        """Whether they say anything of an answer that they have."""
        return self.etag is not None or self.since is not None


def matches_preconditions(known: Preconditions | None, etag: str, fingerprint: Fingerprint) -> bool:
    """Whether the caller has this answer. If-None-Match decides where it is given; who sends only a date, is judged by it."""
    if known is None:
        return False
    if known.etag is not None:
        return known.etag.strip() == "*" or etag.removeprefix("W/") in parse_entity_tags(known.etag)
    if known.since is None or fingerprint.modified is None:
        return False
    since = _parse_http_date(known.since)
    return since is not None and fingerprint.modified < since + ONE_SECOND


def parse_entity_tags(text: str) -> set[str]:
    """The entity tags of an If-None-Match header, for a weak comparison: whether they are strong does not matter."""
    return {each.strip().removeprefix("W/") for each in text.split(",")}


def format_http_date(at: datetime) -> str:
    """A time as HTTP writes it (RFC 9110, 5.6.7), in half the time that `email.utils` takes."""
    at = at.astimezone(UTC)
    clock = f"{at.hour:02}:{at.minute:02}:{at.second:02}"
    return f"{DAYS[at.weekday()]}, {at.day:02} {MONTHS[at.month - 1]} {at.year:04} {clock} GMT"


def _parse_http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
