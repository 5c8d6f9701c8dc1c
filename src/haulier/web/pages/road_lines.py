"""Lines along the roads of installed regions, for the routes on maps."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.routes.public import RoadLine, RoadShapes
from haulier.solvers.routing.travel import TravelMode
from haulier.web.session import app_of, current_session

MAX_PLACES = 200
DIGITS = 5
"""A meter."""


def road_line_routes() -> list[BaseRoute]:
    """Return the route of `/maps/lines`."""
    return [Route("/maps/lines", answer_lines)]


async def answer_lines(request: Request) -> Response:
    """Answer with the line from each place to the next, or null without a road.

    `places` are latitudes and longitudes: `60.17,24.94;60.18,24.95`, and `mode` is a travel mode. Only signed-in users
    may ask.
    """
    if await current_session(request) is None:
        return Response(status_code=401)
    places = _read_places(request.query_params.get("places", ""))
    mode = request.query_params.get("mode", TravelMode.VAN)
    if places is None or mode not in [*TravelMode]:
        return Response(status_code=400)
    lines = await app_of(request).adapter(RoadShapes).lines(places, TravelMode(mode))
    return JSONResponse(
        {"lines": [_rounded(line) for line in lines]}, headers={"Cache-Control": "private, max-age=3600"}
    )


def _read_places(text: str) -> list[tuple[float, float]] | None:
    """Return latitudes and longitudes, or None for another text."""
    try:
        pairs = [(float(lat), float(lng)) for lat, lng in (each.split(",") for each in text.split(";"))]
    except ValueError:
        return None
    inside = all(abs(lat) <= 90 and abs(lng) <= 180 for lat, lng in pairs)
    return pairs if inside and 1 < len(pairs) <= MAX_PLACES else None


def _rounded(line: RoadLine | None) -> list[tuple[float, float]] | None:
    """Return latitudes and longitudes."""
    return [(round(lat, DIGITS), round(lng, DIGITS)) for lng, lat in line.points] if line else None
