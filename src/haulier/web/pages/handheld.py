"""The handheld page: what people scan in a warehouse, kept by the device first and sent when there is a network.

It is an installable web app: a manifest, and a worker that keeps the page and what it loads for when there is no network.
"""

from typing import Any

from msgspec import json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.warehouse.scans.contract import ScanKind
from haulier.contexts.warehouse.scans.operations.scans import record_scan, sync_scans
from haulier.contexts.warehouse.warehouses.operations.warehouses import get_warehouses
from haulier.kernel.operations.declaration import Operation
from haulier.web.i18n import page_language, page_translator
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import PAGE_SECURITY_HEADERS, WEB_FOLDER, render_page
from haulier.web.script_calls import answer_script
from haulier.web.session import app_of, current_session

HANDHELD_OPERATIONS: tuple[Operation[Any, Any], ...] = (record_scan, sync_scans, get_warehouses)
ALLOWED_OPERATIONS = {operation.name: operation for operation in HANDHELD_OPERATIONS}
"""What the scripts of the page may call."""
MESSAGE_PREFIX = "handheld."
WORKER = WEB_FOLDER / "static" / "handheld-worker.js"


def handheld_routes() -> list[BaseRoute]:
    """`/handheld` and what belongs to it."""
    return [
        Route("/handheld", handheld_page, methods=["GET"]),
        Route("/handheld/manifest.webmanifest", manifest, methods=["GET"]),
        Route("/handheld/worker.js", worker, methods=["GET"]),
        Route("/handheld/ask/{operation}", call_handheld_operation, methods=["POST"]),
    ]


async def handheld_page(request: Request) -> Response:
    """The page; its scripts do the rest."""
    session, say = await current_session(request), page_translator(request)
    if session is None:
        return redirect_to_sign_in(request)
    if session.account not in record_scan.audience:
        text = say("handheld.not_for_you")
        return render_page(
            request, "notice.html", session=session, status_code=403, title=say("handheld.title"), text=text
        )
    return render_page(
        request, "handheld.html", session=session, kinds=[kind.value for kind in ScanKind], words=_script_words(request)
    )


async def call_handheld_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for a script of a page of the session."""
    return await answer_script(request, ALLOWED_OPERATIONS.get(request.path_params["operation"]))


async def manifest(request: Request) -> Response:
    """What makes the page an app of the device (W3C Web Application Manifest)."""
    say = page_translator(request)
    document = {
        "id": "/handheld",
        "name": f"Haulier · {say('handheld.title')}",
        "short_name": say("handheld.title"),
        "lang": page_language(request),
        "start_url": "/handheld",
        "scope": "/handheld",
        "display": "standalone",
        "orientation": "portrait",
        "background_color": "#f7f6f2",
        "theme_color": "#0b5d51",
        "icons": [{"src": "/static/mark.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
    }
    headers = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie"}
    return Response(json.encode(document), headers=headers, media_type="application/manifest+json")


async def worker(request: Request) -> Response:
    """The worker. Why not under `/static`: it may answer for pages below its own address, and for `/handheld` by the header."""
    headers = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-cache", "Service-Worker-Allowed": "/handheld"}
    return Response(WORKER.read_bytes(), headers=headers, media_type="text/javascript")


def _script_words(request: Request) -> dict[str, str]:
    """The messages of the scripts, with their parameters left open."""
    say, messages = page_translator(request), app_of(request).catalogues.words(page_language(request))
    return {id.removeprefix(MESSAGE_PREFIX): say(id) for id in messages if id.startswith(MESSAGE_PREFIX)}
