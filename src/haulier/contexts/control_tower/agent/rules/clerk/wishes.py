"""Parser of messages to the clerk. Pure."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.control_tower.agent.rules.clerk.patterns import (
    AFTER_TOMORROW,
    AFTERNOON,
    CHINESE_SUBJECT,
    DATE,
    QUESTION_PATTERNS,
    REASON,
    REFERENCE,
    SUBJECT,
    TIMES,
    TODAY,
    TOMORROW,
    WRITE_PATTERNS,
    WRITES,
    ClerkIntent,
)

FULL_COLON = "\uff1a"
HALF = "半"
"""Half past an hour, in Chinese."""
QUERY_MIN, QUERY_MAX, REASON_MAX, NOTE_MAX = 2, 100, 255, 2000


class ClerkWish(Struct, frozen=True, kw_only=True):
    """A parsed message. `subject` is the order as named; `window` has offsets."""

    intent: ClerkIntent
    subject: str | None = None
    reason: str | None = None
    note: str | None = None
    day: date | None = None
    window: tuple[datetime, datetime] | None = None


def parse_intent(text: str, today: date, time_zone: str) -> ClerkWish | None:
    """Return the request of a message, or None.

    A change must name exactly one order.
    """
    words = " ".join(text.split())
    for intent, pattern in WRITE_PATTERNS.items():
        if pattern.search(words):
            return _read_write(intent, words, today, time_zone)
    for intent, pattern in QUESTION_PATTERNS.items():
        if pattern.search(words):
            return ClerkWish(intent=intent, subject=_subject(words) if intent is ClerkIntent.STATUS else None)
    reference = _references(words)
    if len(reference) == 1 and len(words) <= QUERY_MAX:
        return ClerkWish(intent=ClerkIntent.STATUS, subject=reference[0])
    return None


def needs_one_order(wish: ClerkWish) -> bool:
    """Return True if a request changes an order."""
    return wish.intent in WRITES


def _read_write(intent: ClerkIntent, words: str, today: date, time_zone: str) -> ClerkWish | None:
    head, _, tail = words.replace(FULL_COLON, ":", 1).partition(":") if intent is ClerkIntent.NOTE else (words, "", "")
    reason = REASON.search(head)
    if reason:
        head = head[: reason.start()]
    day = _day(head, today)
    window = _window(head, day or today, time_zone) if intent is ClerkIntent.RESCHEDULE else None
    names = list(dict.fromkeys(_references(DATE.sub(" ", TIMES.sub(" ", head) if window else head))))
    if len(names) != 1 or (intent is ClerkIntent.NOTE and not tail.strip()):
        return None
    return ClerkWish(
        intent=intent,
        subject=names[0],
        reason=next(filter(None, reason.groups()), "").strip()[:REASON_MAX] or None if reason else None,
        note=tail.strip()[:NOTE_MAX] or None,
        day=day,
        window=window,
    )


def _references(words: str) -> list[str]:
    return [match[1] for match in REFERENCE.finditer(words) if len(match[1]) >= QUERY_MIN or match[0].startswith("#")]


def _subject(words: str) -> str | None:
    names = _references(words)
    if names:
        return names[0]
    match = SUBJECT.search(words) or CHINESE_SUBJECT.search(words)
    text = match[1][:QUERY_MAX] if match else ""
    return text if len(text) >= QUERY_MIN else None


def _day(words: str, today: date) -> date | None:
    if match := DATE.search(words):
        try:
            return date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            return None
    if AFTER_TOMORROW.search(words):
        return today + timedelta(days=2)
    if TOMORROW.search(words):
        return today + timedelta(days=1)
    return today if TODAY.search(words) else None


def _window(words: str, day: date, time_zone: str) -> tuple[datetime, datetime] | None:
    text = DATE.sub(" ", words)
    match = TIMES.search(text)
    if match is None:
        return None
    late, later = text[: match.start(1)].rstrip().endswith(AFTERNOON), text[: match.start(3)].endswith(AFTERNOON)
    start = _hour(int(match[1]), late), _minute(match[2])
    end = _hour(int(match[3]), late or later), _minute(match[4])
    if start >= end or max(start[0], end[0]) > 23 or max(start[1], end[1]) > 59:
        return None
    zone = ZoneInfo(time_zone)
    return (
        datetime(day.year, day.month, day.day, *start, tzinfo=zone),
        datetime(day.year, day.month, day.day, *end, tzinfo=zone),
    )


def _hour(hour: int, is_afternoon: bool) -> int:
    return hour + 12 if is_afternoon and hour < 12 else hour


def _minute(text: str | None) -> int:
    return 30 if text == HALF else int(text or 0)
