"""Pages about the house itself: the start page and the interactive reference of its operations."""

from collections import defaultdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from haulier.doors.web.approvals import approval_pages
from haulier.doors.web.dispatch import dispatch_pages
from haulier.doors.web.letters import letter_pages
from haulier.doors.web.rendering import HERE, page
from haulier.doors.web.session import signed_in
from haulier.doors.web.signing_in import signing_in_pages
from haulier.doors.web.tracking import tracking_pages
from haulier.kernel.house import House
from haulier.kernel.operation import GraphQL, Mcp, Operation, Rest

DEMO_LOGINS = (
    ("admin@demo.example", "client admin"),
    ("employee@demo.example", "client employee"),
    ("contractor@demo.example", "contractor"),
    ("contractor2@demo.example", "contractor"),
    ("driver@demo.example", "driver"),
    ("customer@demo.example", "customer"),
    ("admin@rival.example", "admin of another client"),
)


class Files(StaticFiles):
    """What pages load. Browsers may keep it for an hour and then ask whether it changed."""

    def file_response(self, *args: Any, **words: Any) -> Response:
        """A file, or that it has not changed."""
        response = super().file_response(*args, **words)
        response.headers["Cache-Control"] = "public, max-age=3600"
        return response


def pages(house: House, *, demo: bool = False) -> list[BaseRoute]:
    """The routes of the pages and of what they load."""

    async def start(request: Request) -> Response:
        session, contexts = await signed_in(request), _by_context(house)
        return page(request, "start.html", session=session, demo=demo, logins=DEMO_LOGINS, contexts=contexts)

    async def reference(request: Request) -> Response:
        return page(request, "reference.html", session=await signed_in(request), contexts=_by_context(house))

    return [
        Route("/", start),
        Route("/api/docs", reference),
        *tracking_pages(house),
        *signing_in_pages(),
        *letter_pages(),
        *approval_pages(),
        *dispatch_pages(),
        Mount("/static", Files(directory=HERE / "static")),
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
