"""Whether a caller has an answer already: ETag and Last-Modified (RFC 9110), told from a fingerprint of the data."""

import zlib
from collections.abc import Hashable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.kernel.house import House
from haulier.kernel.operation import Fingerprint, Request
from haulier.kernel.principal import NOBODY

if TYPE_CHECKING:
    from haulier.kernel.pipeline import Knock, Outcome

VARY = "Accept, Accept-Language, Authorization"
SECOND = timedelta(seconds=1)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Known(Struct, frozen=True):
    """What a caller says of the answer that they have."""

    etag: str | None = None
    since: str | None = None
    form: str = ""
    """Which of several forms of the answer is asked for, where the door decides that."""

    @property
    def asks(self) -> bool:
        """Whether they say anything of an answer that they have."""
        return self.etag is not None or self.since is not None


def say_how_long(call: Call, knock: "Knock") -> None:
    """Say in the headers who may keep the answer, and for how long."""
    public = call.principal is NOBODY
    call.headers["Cache-Control"] = f"public, max-age={knock.operation.cache_s}" if public else "private, no-cache"
    call.headers["Vary"] = VARY


async def unchanged(call: Call, knock: "Knock", request: Request) -> bool:
    """Whether the caller says what they have, and has it still, as far as that can be told without reading the answer."""
    operation = knock.operation
    if operation.fingerprint is None or knock.known is None or not knock.known.asks:
        return False
    found = await operation.fingerprint(call, request)
    return found is not None and has_it(knock.known, mark(call, knock, found), found)


def given_before(house: House, knock: "Knock", outcome: "Outcome", asked: Hashable) -> bool:
    """Answer the public as it was answered a moment ago, where that is kept."""
    answered = house.kept.find(asked)
    if answered is None:
        return False
    outcome.headers, outcome.sent = answered.headers, answered.body
    outcome.unchanged = has_it(knock.known, answered.headers["ETag"], answered.found)
    return True


def question(knock: "Knock", outcome: "Outcome") -> Hashable | None:
    """What tells one question of the public at the REST door from another; None at other doors."""
    if knock.door != "rest":
        return None
    form = knock.known.form if knock.known else ""
    return knock.operation.name, outcome.language, form, *knock.texts.items()


def mark(call: Call, knock: "Knock", found: Fingerprint) -> str:
    """Say in the headers how to ask next time. The tag is weak: the same data in the same words, not the same bytes."""
    form = knock.known.form if knock.known else ""
    asked = zlib.crc32(f"{knock.texts}{call.language}{call.actor}{form}".encode())
    call.headers["ETag"] = etag = f'W/"{found.tag}-{asked:08x}"'
    if found.modified:
        call.headers["Last-Modified"] = http_date(found.modified)
    return etag


def has_it(known: Known | None, etag: str, found: Fingerprint) -> bool:
    """Whether the caller has this answer. If-None-Match decides where it is given; who sends only a date, is judged by it."""
    if known is None:
        return False
    if known.etag is not None:
        return known.etag.strip() == "*" or etag.removeprefix("W/") in tags(known.etag)
    if known.since is None or found.modified is None:
        return False
    since = _date(known.since)
    return since is not None and found.modified < since + SECOND


def tags(text: str) -> set[str]:
    """The entity tags of an If-None-Match header, for a weak comparison: whether they are strong does not matter."""
    return {each.strip().removeprefix("W/") for each in text.split(",")}


def http_date(at: datetime) -> str:
    """A time as HTTP writes it (RFC 9110, 5.6.7), in half the time that `email.utils` takes."""
    at = at.astimezone(UTC)
    clock = f"{at.hour:02}:{at.minute:02}:{at.second:02}"
    return f"{DAYS[at.weekday()]}, {at.day:02} {MONTHS[at.month - 1]} {at.year:04} {clock} GMT"


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
