"""API reference at `/api/docs`: a page and a form for each operation."""

from collections import defaultdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.application import Application
from haulier.kernel.operations.declaration import GraphQL, Mcp, Operation, Rest
from haulier.kernel.operations.field_docs import describe_field
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_script
from haulier.web.session import current_session


def reference_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of `/api/docs` and of its forms for signed-in users."""

    async def reference(request: Request) -> Response:
        return render_page(
            request, "reference.html", session=await current_session(request), contexts=operations_by_context(app)
        )

    async def try_operation(request: Request) -> Response:
        named = app.registry.get(request.path_params["operation"])
        return await answer_script(request, named if named and _rest_interfaces(named) else None)

    return [
        Route("/api/docs", reference, methods=["GET"]),
        Route("/api/docs/try/{operation}", try_operation, methods=["POST"]),
    ]


def operations_by_context(app: Application) -> dict[str, list[dict[str, Any]]]:
    """Return the shown details of operations by context."""
    contexts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for operation in app.registry:
        contexts[operation.context.replace("_", " ")].append(_operation_row(operation))
    return dict(sorted(contexts.items()))


def _rest_interfaces(operation: Operation[Any, Any]) -> list[Rest]:
    return [interface for interface in operation.interfaces if isinstance(interface, Rest)]


def _operation_row(operation: Operation[Any, Any]) -> dict[str, Any]:
    return {
        "name": operation.name,
        "summary": operation.summary,
        "description": operation.description,
        "effect": operation.effect.value,
        "risk": operation.risk.value,
        "audience": sorted(operation.audience),
        "scopes": sorted(operation.scopes),
        "rest": _rest_interfaces(operation),
        "graphql": [interface for interface in operation.interfaces if isinstance(interface, GraphQL)],
        "tools": [interface for interface in operation.interfaces if isinstance(interface, Mcp)],
        "fields": [
            {"name": name, "required": info.is_required(), "description": describe_field(operation.request, name)}
            for name, info in operation.request.model_fields.items()
        ],
    }
