"""Booking calendar: windows of a week with their load and actions."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.booking.reservations.operations.zones import (
    close_booking_day,
    create_booking_window,
    list_booking_windows,
    list_booking_zones,
    update_booking_window,
)
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.places import act_address

WEEK = timedelta(days=7)
PER_PAGE = 200
PAGES_MAX = 5
"""A week shows a thousand windows at most; for more a zone is chosen."""
ZONES_MAX = 200


class CalendarWindow(Struct, frozen=True, kw_only=True):
    """A window of a day."""

    id: int
    hours: str
    zone: str
    taken: int
    capacity: int
    closed: bool
    bookings: str
    """The list of its reservations."""
    waiting: int
    waits: str
    """The list of who waits for it."""
    change: str | None


class CalendarDay(Struct, frozen=True, kw_only=True):
    """A day of the week."""

    day: date
    is_today: bool
    windows: Sequence[CalendarWindow]
    close: str | None
    """Where all its windows are closed, or opened again when all are closed; None where there is nothing to close."""
    all_closed: bool
    add: str | None


async def bookings_page(desk: DeskRequest) -> Response:
    """Render the week of the date in the address, or the current week."""
    if not desk.may(list_booking_windows):
        return not_found(desk)
    found = await load_week(desk)
    monday, asked = found["monday"], found["asked"]
    return desk.page(
        "desk_bookings.html",
        **found,
        **BOOKINGS.shown(desk, found),
        before=desk.link_with(day=str(monday - WEEK)),
        after=desk.link_with(day=str(monday + WEEK)),
        now=desk.link_with(day=None),
        call=list_booking_windows,
        values=asked,
    )


async def load_week(desk: DeskRequest) -> dict[str, Any]:
    """The windows of the week by day, in all zones or the one that the address names."""
    monday = _week_of(desk.texts.get("day", [""])[-1], desk.today)
    zones = await _zones(desk)
    chosen = desk.texts.get("zone_id", [""])[-1]
    asked: dict[str, Any] = {"date_from": str(monday), "date_to": str(monday + WEEK - timedelta(days=1))}
    if chosen.isascii() and chosen.isdecimal() and int(chosen) in zones:
        asked["zone_id"] = int(chosen)
    by_day: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for window in await _windows(desk, asked):
        by_day[window["day"]].append(window)
    days = [monday + timedelta(days=at) for at in range(WEEK.days)]
    return {
        "days": [_day(desk, day, by_day[str(day)], zones, asked.get("zone_id")) for day in days],
        "monday": monday,
        "asked": asked,
        "zones": zones,
        "chosen": asked.get("zone_id"),
    }


def _week_of(text: str, today: date) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = today
    day = min(max(day, date(2000, 1, 3)), date(9999, 1, 1))
    return day - timedelta(days=day.weekday())


async def _zones(desk: DeskRequest) -> dict[int, str]:
    answer = await desk.read(list_booking_zones, {"per_page": ZONES_MAX}) or {}
    return {zone["id"]: zone["name"] for zone in answer.get("zones") or []}


async def _windows(desk: DeskRequest, asked: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for page in range(1, PAGES_MAX + 1):
        answer = await desk.read(list_booking_windows, {**asked, "per_page": PER_PAGE, "page": page}) or {}
        found += answer.get("windows") or []
        if len(found) >= answer.get("total", 0):
            break
    return found


def _day(
    desk: DeskRequest,
    day: date,
    windows: Sequence[Mapping[str, Any]],
    zones: Mapping[int, str],
    zone_id: int | None,
) -> CalendarDay:
    all_closed = bool(windows) and all(window["closed"] for window in windows)
    within = {"day": str(day), **({"zone_id": zone_id} if zone_id else {})}
    is_past = day < desk.today
    may_close = windows and not is_past and desk.may(close_booking_day)
    may_add = not is_past and desk.may(create_booking_window)
    return CalendarDay(
        day=day,
        is_today=day == desk.today,
        windows=[_window(desk, window, zones, is_past=is_past) for window in windows],
        close=act_address(close_booking_day, **within, closed=str(not all_closed).lower()) if may_close else None,
        all_closed=all_closed,
        add=act_address(create_booking_window, **within) if may_add else None,
    )


def _window(desk: DeskRequest, window: Mapping[str, Any], zones: Mapping[int, str], *, is_past: bool) -> CalendarWindow:
    starts, ends = (datetime.fromisoformat(window[name]) for name in ("starts_at", "ends_at"))
    may_change = not is_past and desk.may(update_booking_window)
    return CalendarWindow(
        id=window["id"],
        hours=f"{starts:%H:%M}–{ends:%H:%M}",
        zone=zones.get(window["zone_id"], str(window["zone_id"])),
        taken=window["taken"],
        capacity=window["capacity"],
        closed=window["closed"],
        bookings=f"/desk/reservations?window_id={window['id']}",
        waiting=window["waiting"],
        waits=f"/desk/waiting-entries?window_id={window['id']}",
        change=act_address(update_booking_window, window_id=window["id"]) if may_change else None,
    )


BOOKINGS = LivePart(
    name="bookings",
    template="desk_bookings_live.html",
    load=load_week,
    reads=(list_booking_windows, list_booking_zones),
    about=("booking_window", "reservation", "waiting_entry", "booking_zone", "booking_pattern"),
)
