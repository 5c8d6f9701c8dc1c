"""Live map of the tracking page: the driver on the way to a verified recipient."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.driver_app.live_maps.contract import DeliveryPosition
from haulier.contexts.driver_app.live_maps.operations import get_delivery_position
from haulier.contexts.driver_app.live_maps.rules import LiveMapState
from haulier.web.i18n import page_translator
from haulier.web.operations_client import Refused, call_with_texts
from haulier.web.pages.deliveries import ACCESS_COOKIE, kept_by_nobody, nearness_words


def live_map_routes() -> list[BaseRoute]:
    """Return the route of `/track/{number}/position`."""
    return [Route("/track/{number}/position", answer_position)]


async def answer_position(request: Request) -> Response:
    """Answer with the driver's position as JSON."""
    shown = await load_live_map(request)
    return kept_by_nobody(JSONResponse(shown) if shown else Response(status_code=404))


async def load_live_map(request: Request) -> dict[str, Any] | None:
    """Return the map of a verified recipient whose delivery is on the way, or None."""
    access = request.cookies.get(ACCESS_COOKIE)
    result = await call_with_texts(request, get_delivery_position, {"access": access}) if access else None
    if result is None or isinstance(result, Refused) or result.answer.state is LiveMapState.OFF:
        return None
    found = result.answer
    return {
        "state": found.state.value,
        "text": _sentence(request, found),
        "destination": found.destination,
        "driver": [found.driver.lat, found.driver.lng] if found.driver else None,
        "line": found.line,
    }


def _sentence(request: Request, found: DeliveryPosition) -> str:
    """Say how far the driver is."""
    say, parts = page_translator(request), [nearness_words(request, found.stops_before or 0, found.expected_at)]
    if found.state is LiveMapState.SOON:
        parts.append(say("track.driver_soon"))
    elif found.state is LiveMapState.NO_POSITION:
        parts.append(say("track.driver_no_position"))
    return " ".join(parts)
