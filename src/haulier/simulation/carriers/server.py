"""Server of the simulated carriers: four APIs and the script of faults."""

from dataclasses import asdict

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from haulier.simulation.carriers.book import Book
from haulier.simulation.carriers.canada_post import canada_post_routes
from haulier.simulation.carriers.easypost import easypost_routes
from haulier.simulation.carriers.faults import Faults, FaultyServer, delete_faults, get_faults, post_fault
from haulier.simulation.carriers.shipengine import shipengine_routes
from haulier.simulation.carriers.ups import ups_routes


def simulated_carriers(book: Book | None = None, token_life_s: float = 600.0) -> ASGIApp:
    """Return the application. UPS tokens are valid for `token_life_s` seconds."""
    routes = [
        Mount("/ups", routes=ups_routes()),
        Mount("/shipengine", routes=shipengine_routes()),
        Mount("/easypost", routes=easypost_routes()),
        Mount("/canada-post", routes=canada_post_routes()),
        Route("/simulator/faults", post_fault, methods=["POST"]),
        Route("/simulator/faults", get_faults, methods=["GET"]),
        Route("/simulator/faults", delete_faults, methods=["DELETE"]),
        Route("/simulator/labels", get_labels),
        Route("/simulator/calls", get_calls),
        Route("/simulator/advance", post_advance, methods=["POST"]),
    ]
    app = Starlette(routes=routes)
    app.state.book, app.state.faults, app.state.token_life_s = book or Book(), Faults(), token_life_s
    return FaultyServer(app, app.state.faults)


async def get_labels(request: Request) -> Response:
    """Return all purchased labels, as the carriers will invoice them."""
    book: Book = request.app.state.book
    labels = [{**asdict(label), "made_at": label.made_at.isoformat()} for label in book.labels.values()]
    return JSONResponse(labels)


async def get_calls(request: Request) -> Response:
    """Return all calls by method and path."""
    return JSONResponse(request.app.state.faults.calls)


async def post_advance(request: Request) -> Response:
    """Advance one or all parcels by a number of steps."""
    values = await request.json()
    book: Book = request.app.state.book
    number, steps = values.get("tracking_number"), int(values.get("steps", 1))
    moved = [label for label in book.labels.values() if number in (None, *label.numbers)]
    for label in moved:
        label.scans_ahead += steps
    return JSONResponse({"moved": len(moved)})
