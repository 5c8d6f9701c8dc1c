"""Deprecations of operations and request fields, and their response headers."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from email.utils import format_datetime

from msgspec import Struct

POLICY_PAGE = "/docs/integrate/versions/"
"""Page of the versioning policy."""


class Deprecation(Struct, frozen=True, kw_only=True):
    """Deprecation of an operation, or of some fields of its request."""

    since: date
    sunset: date
    """The first day on which it may be missing."""
    replacement: str
    """The operation or field to use instead."""
    fields: frozenset[str] = frozenset()
    """The deprecated fields. Empty: the whole operation."""

    def concerns(self, used: Iterable[str]) -> bool:
        """Return True if a request with these fields is affected."""
        return not self.fields or not self.fields.isdisjoint(used)


def deprecation_headers(met: Iterable[Deprecation]) -> dict[str, str]:
    """Return the headers about deprecations: RFC 9745 and RFC 8594.

    Of several, the earliest dates count.
    """
    found = tuple(met)
    if not found:
        return {}
    since, sunset = (min(_moment(getattr(each, name)) for each in found) for name in ("since", "sunset"))
    return {
        "Deprecation": f"@{int(since.timestamp())}",
        "Sunset": format_datetime(sunset, usegmt=True),
        "Link": f'<{POLICY_PAGE}>; rel="deprecation"; type="text/html"',
    }


def _moment(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
