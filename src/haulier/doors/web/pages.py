"""Pages about the house itself: the start page and the interactive reference of its operations."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from haulier import __version__
from haulier.kernel.house import House
from haulier.kernel.operation import GraphQL, Mcp, Operation, Rest

HERE = Path(__file__).parent
SAFE = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
templates = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=select_autoescape(), trim_blocks=True, lstrip_blocks=True
)
DEMO_LOGINS = (
    ("admin@demo.example", "client admin"),
    ("employee@demo.example", "client employee"),
    ("contractor@demo.example", "contractor"),
    ("contractor2@demo.example", "contractor"),
    ("driver@demo.example", "driver"),
    ("customer@demo.example", "customer"),
    ("admin@rival.example", "admin of another client"),
)


def render(template: str, **values: Any) -> HTMLResponse:
    """A page with the security headers that every page carries."""
    page = templates.get_template(template).render(version=__version__, **values)
    return HTMLResponse(page, headers=SAFE)


def pages(house: House, *, demo: bool = False) -> list[BaseRoute]:
    """The routes of the pages and of what they load."""

    async def start(_: Request) -> Response:
        return render("start.html", demo=demo, logins=DEMO_LOGINS, contexts=_by_context(house), house=house)

    async def reference(_: Request) -> Response:
        return render("reference.html", contexts=_by_context(house))

    return [
        Route("/", start),
        Route("/api/docs", reference),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]


def _by_context(house: House) -> dict[str, list[dict[str, Any]]]:
    contexts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for operation in house.registry:
        contexts[operation.context.replace("_", " ")].append(_row(operation))
    return dict(sorted(contexts.items()))


def _row(operation: Operation[Any, Any]) -> dict[str, Any]:
    return {
        "name": operation.name,
        "summary": operation.summary,
        "description": operation.description,
        "effect": operation.effect.value,
        "risk": operation.risk.value,
        "audience": sorted(operation.audience),
        "scopes": sorted(operation.scopes),
        "rest": [door for door in operation.doors if isinstance(door, Rest)],
        "graphql": [door for door in operation.doors if isinstance(door, GraphQL)],
        "tools": [door for door in operation.doors if isinstance(door, Mcp)],
        "fields": [
            {"name": name, "required": info.is_required(), "description": info.description or ""}
            for name, info in operation.request.model_fields.items()
        ],
    }
