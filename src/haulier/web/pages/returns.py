"""Returns on the tracking page, without scripts. Calls public operations only."""

from base64 import b64encode
from typing import Any

from babel.units import format_unit
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.lockers.recipient_returns.contract import BegunReturn, ReturnPlace
from haulier.contexts.lockers.recipient_returns.operations import (
    cancel_return,
    create_delivery_return,
    get_delivery_return,
    renew_return_code,
)
from haulier.kernel.application import Application
from haulier.rendering.qr_png import qr_png
from haulier.web.i18n import page_language
from haulier.web.operations_client import Answered, Refused, call_with_texts
from haulier.web.pages.deliveries import ACCESS_COOKIE, back_to_delivery, genuine_form, kept_by_nobody, moment_words
from haulier.web.rendering import render_page
from haulier.web.session import app_of

PICKUP = "pickup"
"""Form value for pickup by a driver instead of a site."""
SIZES = ("s", "m", "l", "xl")
_TOLD = {401: "ended", 404: "return_late", 422: "return_refused", 429: "pause"}
_TOLD_BY_CODE = {"NO_FREE_BOX": "return_full", "RETURN_BEGUN": "returned", "RETURN_UNDER_WAY": "return_late"}


def module_routes(_: Application) -> list[BaseRoute]:
    """The forms of a return, below `/track/{number}`."""
    return [
        Route("/track/{number}/return", submit_return, methods=["POST"]),
        Route("/track/{number}/return/code", submit_new_code, methods=["POST"]),
        Route("/track/{number}/return/cancel", submit_cancellation, methods=["POST"]),
    ]


async def load_delivery_part(request: Request) -> dict[str, Any]:
    """Load an existing or possible return; empty if there is none."""
    access = request.cookies.get(ACCESS_COOKIE, "")
    found = await call_with_texts(request, get_delivery_return, {"access": access})
    if isinstance(found, Refused):
        return {}
    language, begun, offer = page_language(request), found.answer.begun, found.answer.offer
    return {
        "begun": begun,
        "hand_in_until": moment_words(language, begun.hand_in_until) if begun else None,
        "offer": offer,
        "return_until": moment_words(language, offer.until) if offer else None,
        "return_places": [_place_view(language, each) for each in offer.places]
        if offer and "locker" in offer.ways
        else [],
        "sizes": SIZES,
    }


async def submit_return(request: Request) -> Response:
    """Begin a return; the code of a box is shown at once, and nowhere else."""
    form, access = await genuine_form(request)
    if access is None:
        return back_to_delivery(request, "ended")
    where = form.get("where", "")
    way = {"way": PICKUP} if where == PICKUP else {"way": "locker", "site_id": where}
    said = {name: form.get(name, "") for name in ("reason", "note", "size")}
    result = await call_with_texts(request, create_delivery_return, {"access": access, **said, **way})
    if isinstance(result, Refused):
        return _refused(request, result)
    return _code_page(request, result.answer) if result.answer.code else back_to_delivery(request, "returning")


async def submit_new_code(request: Request) -> Response:
    """Show another code."""
    _, access = await genuine_form(request)
    if access is None:
        return back_to_delivery(request, "ended")
    result = await call_with_texts(request, renew_return_code, {"access": access})
    return _code_page(request, result.answer) if isinstance(result, Answered) else _refused(request, result)


async def submit_cancellation(request: Request) -> Response:
    """Keep the delivery after all."""
    _, access = await genuine_form(request)
    if access is None:
        return back_to_delivery(request, "ended")
    result = await call_with_texts(request, cancel_return, {"access": access})
    return _refused(request, result) if isinstance(result, Refused) else back_to_delivery(request, "kept")


def _refused(request: Request, refused: Refused) -> Response:
    return back_to_delivery(
        request, _TOLD_BY_CODE.get(refused.error["code"]) or _TOLD.get(refused.status, "return_refused")
    )


def _code_page(request: Request, answer: BegunReturn) -> Response:
    """The page with a code, as digits and as a picture. It is kept by no cache."""
    language, app = page_language(request), app_of(request)

    def say(id: str, **said: Any) -> str:
        return app.catalogues.translate(language, f"track.{id}", **said)

    picture = f"data:image/png;base64,{b64encode(qr_png(answer.code or '')).decode()}"
    page = render_page(
        request,
        "track_return_code.html",
        number=request.path_params["number"],
        begun=answer.begun,
        code=answer.code,
        picture=picture,
        hand_in_until=moment_words(language, answer.begun.hand_in_until),
        t=say,
    )
    return kept_by_nobody(page)


def _place_view(language: str, place: ReturnPlace) -> dict[str, Any]:
    locale, metres = language.replace("-", "_"), place.distance_m
    near = (round(metres, -1), "length-meter") if metres < 1000 else (round(metres / 1000, 1), "length-kilometer")
    distance = format_unit(near[0], near[1], "short", locale=locale)
    return {
        "site_id": place.site_id,
        "name": place.name,
        "address": place.address,
        "distance": distance,
        "open": place.open_now,
    }
