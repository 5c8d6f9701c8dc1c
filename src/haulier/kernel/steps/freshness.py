"""Whether a caller has an answer already: ETag and Last-Modified (RFC 9110), told from a fingerprint of the data."""

import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.kernel.operation import Fingerprint, Request
from haulier.kernel.principal import NOBODY

if TYPE_CHECKING:
    from haulier.kernel.pipeline import Knock, Outcome

VARY = "Accept, Accept-Language, Authorization"
SECOND = timedelta(seconds=1)


class Known(Struct, frozen=True):
    """What a caller says of the answer that they have."""

    etag: str | None = None
    since: str | None = None
    form: str = ""
    """Which of several forms of the answer is asked for, where the door decides that."""


async def unchanged(call: Call, knock: "Knock", outcome: "Outcome", request: Request) -> bool:
    """Whether the caller says what they have, and has it still: then they are spared the answer."""
    operation, known = knock.operation, knock.known
    if operation.fingerprint is None:
        return False
    public = call.principal is NOBODY
    call.headers["Cache-Control"] = f"public, max-age={operation.cache_s}" if public else "private, no-cache"
    call.headers["Vary"] = VARY
    if known is None or (known.etag is None and known.since is None):
        return False
    found = await operation.fingerprint(call, request)
    if found is None:
        return False
    outcome.unchanged = _has_it(known, mark(call, knock, found), found)
    return outcome.unchanged


def mark(call: Call, knock: "Knock", found: Fingerprint) -> str:
    """Say in the headers how to ask next time. The tag is weak: the same data in the same words, not the same bytes."""
    form = knock.known.form if knock.known else ""
    asked = zlib.crc32(repr((sorted(knock.texts.items()), call.language, call.actor, form)).encode())
    call.headers["ETag"] = etag = f'W/"{found.tag}-{asked:08x}"'
    if found.modified:
        call.headers["Last-Modified"] = format_datetime(found.modified.astimezone(UTC), usegmt=True)
    return etag


def _has_it(known: Known, etag: str, found: Fingerprint) -> bool:
    """If-None-Match decides where it is given; a caller who sends only a date is answered by the date."""
    if known.etag is not None:
        return known.etag.strip() == "*" or etag.removeprefix("W/") in tags(known.etag)
    if known.since is None or found.modified is None:
        return False
    since = _date(known.since)
    return since is not None and found.modified < since + SECOND


def tags(text: str) -> set[str]:
    """The entity tags of an If-None-Match header, for a weak comparison: whether they are strong does not matter."""
    return {each.strip().removeprefix("W/") for each in text.split(",")}


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
