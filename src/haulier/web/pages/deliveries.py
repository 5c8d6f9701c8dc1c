"""Delivery part of the tracking page: promise, deliverer and verified details."""

import re
from base64 import b64decode
from datetime import date, datetime
from itertools import groupby
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_time
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.recipients.deliveries.contract import DeliveryNotice, DeliveryWindow
from haulier.contexts.recipients.deliveries.operations import (
    choose_delivery_window,
    find_delivery_windows,
    get_delivery,
    get_delivery_notice,
    get_delivery_proof_file,
    open_delivery,
    rate_delivery,
    set_delivery_instruction,
)
from haulier.web.i18n import page_language, page_translator
from haulier.web.operations_client import Answered, Refused, call_with_texts, read_form
from haulier.web.rendering import PAGE_SECURITY_HEADERS
from haulier.web.session import app_of, csrf_token_of, is_from_our_page

ACCESS_COOKIE = "haulier_delivery"
ACCESS_SECONDS = 1800
NEAR_DAYS = ("today", "tomorrow")
TOLD = {"saved", "moved", "unproven", "pause", "taken", "over", "ended", "rated", "unrated", "late"} | {
    *("returning", "kept", "returned", "return_full", "return_refused", "return_late")
}
"""Messages after a form was sent, by the word in the address."""
_YEAR = re.compile(r"(?:,|\s'de')?\s?y年?")
"""The year in a date pattern, with the words that belong to it."""
_GOOD = {"saved", "moved", "returning", "kept", "rated"}
_TOLD_BY_STATUS = {401: "ended", 403: "unproven", 404: "taken", 409: "taken", 422: "unproven", 429: "pause"}


def delivery_routes() -> list[BaseRoute]:
    """The forms of a delivery, below `/track/{number}`, and the pictures of its proof."""
    return [
        Route("/track/{number}/open", submit_proof, methods=["POST"]),
        Route("/track/{number}/instruction", submit_instruction, methods=["POST"]),
        Route("/track/{number}/rating", submit_rating, methods=["POST"]),
        Route("/track/{number}/window", submit_window, methods=["POST"]),
        Route("/track/{number}/leave", clear_delivery_access, methods=["POST"]),
        Route("/track/{number}/proof/{file_id:int}", show_proof_file),
    ]


async def load_delivery_view(request: Request, number: str) -> dict[str, Any]:
    """Load the delivery view; empty for parcels without an order."""
    notice = await call_with_texts(request, get_delivery_notice, {"number": number})
    if isinstance(notice, Refused):
        return {"notice": None}
    told, language = request.query_params.get("told"), page_language(request)
    access, delivery = request.cookies.get(ACCESS_COOKIE), None
    windows: list[dict[str, Any]] = []  # by day
    if access:
        opened = await call_with_texts(request, get_delivery, {"access": access})
        delivery = opened.answer.delivery if isinstance(opened, Answered) else None
    if access and delivery and "choose_window" in delivery.choices:
        found = await call_with_texts(request, find_delivery_windows, {"access": access})
        zone = ZoneInfo(notice.answer.time_zone)
        windows = _window_days(request, zone, found.answer.windows) if isinstance(found, Answered) else []
    return {
        "notice": notice.answer,
        "parcel_days": {
            each.number: format_date(each.expected_on, "long", language.replace("-", "_"))
            for each in notice.answer.parcels
            if each.expected_on
        },
        "promise": None if notice.answer.for_pickup else _promise_words(request, notice.answer),
        "nearness": _nearness_words(request, notice.answer),
        "missed": moment_words(language, notice.answer.missed_at),
        "told": told if told in TOLD else None,
        "told_mood": "good" if told in _GOOD else "bad",
        "delivery": delivery,
        "delivered": moment_words(language, delivery.proof.at) if delivery and delivery.proof else None,
        "windows": windows,
        "pickup_until": delivery
        and delivery.pickup
        and delivery.pickup.held_until
        and format_date(delivery.pickup.held_until, "full", language.replace("-", "_")),
        "csrf": csrf_token_of(access) if access and delivery else "",
    }


def kept_by_nobody(response: Response) -> Response:
    """A page that may show a recipient's own things: no cache keeps it."""
    response.headers["Cache-Control"] = "no-store"
    return response


async def submit_proof(request: Request) -> Response:
    """Open a delivery with the form's proof.

    The browser keeps the access until it expires.
    """
    form, number = await read_form(request), request.path_params["number"]
    if not is_from_our_page(request):
        return back_to_delivery(request, "ended")
    result = await call_with_texts(request, open_delivery, {"number": number, "proof": form.get("proof", "")})
    if isinstance(result, Refused):
        return back_to_delivery(request, _TOLD_BY_STATUS.get(result.status, "unproven"))
    response = back_to_delivery(request)
    response.set_cookie(ACCESS_COOKIE, result.answer.access, max_age=ACCESS_SECONDS, **_cookie(request))
    return response


async def submit_instruction(request: Request) -> Response:
    """Tell the driver something."""
    form, access = await genuine_form(request)
    if access is None:
        return back_to_delivery(request, "ended")
    texts = {name: form.get(name, "") for name in ("instruction", "neighbour")}
    result = await call_with_texts(request, set_delivery_instruction, {"access": access, **texts})
    over = "over" if isinstance(result, Refused) and result.status == 409 else None
    return back_to_delivery(request, over or _told(result, "saved"))


async def submit_rating(request: Request) -> Response:
    """Rate the delivery."""
    form, access = await genuine_form(request)
    if access is None:
        return back_to_delivery(request, "ended")
    texts = {name: form.get(name, "") for name in ("rating", "comment")}
    result = await call_with_texts(request, rate_delivery, {"access": access, **texts})
    refused = {409: "late", 422: "unrated"}.get(result.status) if isinstance(result, Refused) else None
    return back_to_delivery(request, refused or _told(result, "rated"))


async def submit_window(request: Request) -> Response:
    """Choose another time."""
    form, access = await genuine_form(request)
    if access is None:
        return back_to_delivery(request, "ended")
    chosen = {"access": access, "window_id": form.get("window_id", "")}
    return back_to_delivery(request, _told(await call_with_texts(request, choose_delivery_window, chosen), "moved"))


async def clear_delivery_access(request: Request) -> Response:
    """Forget the access, on a device that others use too."""
    _, access = await genuine_form(request)
    response = back_to_delivery(request)
    if access:
        response.delete_cookie(ACCESS_COOKIE, **_cookie(request))
    return response


async def show_proof_file(request: Request) -> Response:
    """Return a proof picture to a verified recipient."""
    texts = {"access": request.cookies.get(ACCESS_COOKIE, ""), "file_id": str(request.path_params["file_id"])}
    result = await call_with_texts(request, get_delivery_proof_file, texts)
    if isinstance(result, Refused):
        return Response(status_code=404)
    content = b64decode(result.answer.content)
    return kept_by_nobody(Response(content, media_type=result.answer.media_type, headers=PAGE_SECURITY_HEADERS))


async def genuine_form(request: Request) -> tuple[dict[str, str], str | None]:
    """Return a form with its sender's access, or None if it came from elsewhere."""
    form, access = await read_form(request), request.cookies.get(ACCESS_COOKIE)
    genuine = access is not None and is_from_our_page(request) and form.get("csrf") == csrf_token_of(access)
    return form, access if genuine else None


def _told(result: Answered[Any] | Refused, done: str) -> str:
    return _TOLD_BY_STATUS.get(result.status, "taken") if isinstance(result, Refused) else done


def back_to_delivery(request: Request, told: str | None = None) -> RedirectResponse:
    """Lead back to the delivery, which says what came of a form."""
    query = f"?lang={page_language(request)}" + (f"&told={told}" if told else "")
    return RedirectResponse(f"/track/{quote(request.path_params['number'], safe='')}{query}#yours", 303)


def _cookie(request: Request) -> dict[str, Any]:
    path = f"/track/{quote(request.path_params['number'], safe='')}"
    return {"path": path, "httponly": True, "samesite": "lax", "secure": app_of(request).base_url.startswith("https:")}


def _window_days(request: Request, zone: ZoneInfo, windows: list[DeliveryWindow]) -> list[dict[str, Any]]:
    """Return the windows by day."""
    locale = page_language(request).replace("-", "_")
    return [
        {
            "name": _day_words(request, zone, day),
            "windows": [
                {"id": each.id, "words": _times_words(locale, each.starts_at, each.ends_at)} for each in of_day
            ],
        }
        for day, of_day in groupby(windows, key=lambda each: each.day)
    ]


def _promise_words(request: Request, notice: DeliveryNotice) -> str | None:
    """Return the promised or planned time in words, or None if it is over."""
    start, end = notice.window_start, notice.window_end
    known = start or end
    day = known.date() if known else notice.day
    now = app_of(request).clock()
    over = end < now if end else day is not None and day < now.astimezone(ZoneInfo(notice.time_zone)).date()
    if day is None or over:
        return None
    words = _day_words(request, ZoneInfo(notice.time_zone), day)
    return f"{words}, {_times_words(page_language(request).replace('-', '_'), start, end)}" if known else words


def _nearness_words(request: Request, notice: DeliveryNotice) -> str | None:
    """Return the stops before and the expected time in words."""
    if notice.stops_before is None:
        return None
    return nearness_words(request, notice.stops_before, notice.expected_at)


def nearness_words(request: Request, stops_before: int, expected_at: datetime | None) -> str:
    """Return sentences about a driver on the way. A time that has passed is not named."""
    say = page_translator(request)
    words = say("track.driver_stops", stops=stops_before) if stops_before else say("track.driver_next")
    if expected_at is None or expected_at < app_of(request).clock():
        return words
    locale = page_language(request).replace("-", "_")
    return f"{words} {say('track.driver_expected', when=format_time(expected_at.timetz(), 'short', locale=locale))}"


def _day_words(request: Request, zone: ZoneInfo, day: date) -> str:
    """Return today, tomorrow, or the weekday and date, with the year if it differs."""
    today = app_of(request).clock().astimezone(zone).date()
    if 0 <= (day - today).days < len(NEAR_DAYS):
        return page_translator(request)(f"track.{NEAR_DAYS[(day - today).days]}")
    locale = Locale.parse(page_language(request).replace("-", "_"))
    pattern = locale.date_formats["full"].pattern
    return format_date(day, _YEAR.sub("", pattern) if day.year == today.year else "full", locale)


def _times_words(locale: str, start: datetime | None, end: datetime | None) -> str:
    return "–".join(format_time(each.timetz(), "short", locale=locale) if each else "…" for each in (start, end))


def moment_words(language: str, moment: datetime | None) -> str | None:
    """A moment, as people say it."""
    locale = language.replace("-", "_")
    return moment and (
        f"{format_date(moment.date(), 'full', locale)}, {format_time(moment.timetz(), 'short', locale=locale)}"
    )
