"""Delivery windows to choose with one click when an order is taken."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.web.desk.pages import DeskRequest

HOURS = 2
FIRST_HOUR, LAST_HOUR = 8, 24
TODAY_MAX = 3
TOMORROW = (10, 14)
"""Hours at which the windows of tomorrow begin."""


class PromisedWindow(Struct, frozen=True):
    """A window as text, with its day and times as inputs take them."""

    text: str
    day: str
    starts: str
    ends: str
    today: bool


def offer_windows(desk: DeskRequest) -> list[PromisedWindow]:
    """Return the next windows of today, and two of tomorrow."""
    zone = ZoneInfo(desk.session.time_zone)
    now = desk.formatter.now.astimezone(zone)
    return [_window(desk, starts) for starts in (*_rest_of_today(now), *_windows_of_tomorrow(now))]


def _rest_of_today(now: datetime) -> Iterator[datetime]:
    """Yield the starts of windows today; the present one if half of it is left."""
    hour = max(FIRST_HOUR, (now.hour + 1) // HOURS * HOURS)
    for starts in range(hour, min(LAST_HOUR, hour + TODAY_MAX * HOURS), HOURS):
        yield datetime.combine(now.date(), time(starts), now.tzinfo)


def _windows_of_tomorrow(now: datetime) -> Iterator[datetime]:
    for starts in TOMORROW:
        yield datetime.combine(now.date() + timedelta(days=1), time(starts), now.tzinfo)


def _window(desk: DeskRequest, starts: datetime) -> PromisedWindow:
    ends = starts + timedelta(hours=HOURS)
    today = starts.date() == desk.today
    day = desk.say("set_up.today") if today else desk.say("set_up.tomorrow")
    clock = desk.formatter.clock
    return PromisedWindow(
        desk.say("set_up.window", day=day, starts=clock(starts), ends=clock(ends)),
        starts.date().isoformat(),
        f"{starts:%Y-%m-%dT%H:%M}",
        f"{ends:%Y-%m-%dT%H:%M}",
        today,
    )
