"""Push notifications of new messages: the worker and its settings on the desk."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.operations.enums import Feature
from haulier.web.pages.go import GO
from haulier.web.rendering import PAGE_SECURITY_HEADERS, WEB_FOLDER
from haulier.web.script_calls import answer_script, find_operation, script_words
from haulier.web.session import WebSession

WORKER = WEB_FOLDER / "static" / "push-worker.js"
CHAT_PREFIX = "chat_page."
"""Begins the ids of the messages of chats."""
ALERT_WORDS = {"alerts_": "alerts."}
"""Words of the scripts with their message IDs."""
_OPERATIONS = frozenset({"list_push_devices", "register_push_device", "remove_push_device"})


def push_alert_routes() -> list[BaseRoute]:
    """Return the routes of `/push/worker.js` and of the scripts' calls.

    The worker caches no page.
    """
    return [
        Route("/push/worker.js", push_worker, methods=["GET"]),
        Route("/push/ask/{operation}", call_push_operation, methods=["POST"]),
    ]


async def push_worker(request: Request) -> Response:
    """Return the worker that shows notifications."""
    headers = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-cache"}
    return Response(WORKER.read_bytes(), headers=headers, media_type="text/javascript")


async def call_push_operation(request: Request) -> Response:
    """The answer of one operation on devices of the session's user."""
    return await answer_script(request, find_operation(request, _OPERATIONS))


def alerts_for(request: Request, session: WebSession) -> dict[str, Any]:
    """Return the settings of notifications; empty for businesses without chat."""
    if Feature.ORDER_CHAT not in session.features:
        return {}
    has_app = session.account in GO.audience
    return {"alert_words": script_words(request, ALERT_WORDS), "alerts_at": "/go#offers" if has_app else None}
