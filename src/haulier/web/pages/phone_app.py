"""Installable web apps for mobile users: page, manifest, service worker and calls.

The worker caches the page for offline use; the page stores what users enter meanwhile.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.operations.enums import Account
from haulier.web.i18n import page_language, page_translator
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import PAGE_SECURITY_HEADERS, WEB_FOLDER, render_page
from haulier.web.script_calls import answer_script, find_operation, script_words
from haulier.web.session import current_session

STATIC = WEB_FOLDER / "static"
WORKERS, READER = (STATIC / "app-worker.js", STATIC / "push-worker.js"), STATIC / "barcode-reader.js"
READER_SECURITY_POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
"""Of the worker that reads barcodes alone: WebAssembly runs there, and nowhere on the page."""


class PhoneApp(Struct, frozen=True, kw_only=True):
    """An app: its name in addresses and messages, audience and allowed operations."""

    name: str
    """The address without its slash; messages are `{name}.title`, `{name}.not_for_you` and what its scripts say."""
    audience: frozenset[Account]
    operations: frozenset[str]
    template: str
    shared_words: Mapping[str, str] = {}
    """Messages of others that its scripts say: how the scripts begin their names, and how the catalogue does."""
    page_values: Mapping[str, Any] = {}
    """Template values besides session and messages."""

    def routes(self) -> list[BaseRoute]:
        """The page and what belongs to it."""
        address = f"/{self.name}"

        async def call_operation(request: Request) -> Response:
            return await answer_script(request, find_operation(request, self.operations))

        return [
            Route(address, self._page, methods=["GET"]),
            Route(f"{address}/manifest.webmanifest", self._manifest, methods=["GET"]),
            Route(f"{address}/worker.js", self._worker, methods=["GET"]),
            Route(f"{address}/reader.js", self._reader, methods=["GET"]),
            Route(f"{address}/ask/{{operation}}", call_operation, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        session, say = await current_session(request), page_translator(request)
        if session is None:
            return redirect_to_sign_in(request)
        if session.account not in self.audience:
            title, text = say(f"{self.name}.title"), say(f"{self.name}.not_for_you")
            return render_page(request, "notice.html", session=session, status_code=403, title=title, text=text)
        words = script_words(request, {"": f"{self.name}.", **self.shared_words})
        return render_page(request, self.template, session=session, words=words, **self.page_values)

    async def _manifest(self, request: Request) -> Response:
        """Return the web app manifest (W3C)."""
        address, title = f"/{self.name}", page_translator(request)(f"{self.name}.title")
        document = {
            "id": address,
            "name": f"Haulier · {title}",
            "short_name": title,
            "lang": page_language(request),
            "start_url": address,
            "scope": address,
            "display": "standalone",
            "orientation": "portrait",
            "background_color": "#f7f6f2",
            "theme_color": "#0b5d51",
            "icons": [{"src": "/static/mark.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
        }
        headers = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie"}
        return Response(json.encode(document), headers=headers, media_type="application/manifest+json")

    async def _worker(self, request: Request) -> Response:
        """Return the service worker.

        Served outside `/static`, because it may answer for pages below its own address.
        """
        headers = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-cache", "Service-Worker-Allowed": f"/{self.name}"}
        script = b"\n".join(each.read_bytes() for each in WORKERS)
        return Response(script, headers=headers, media_type="text/javascript")

    async def _reader(self, request: Request) -> Response:
        """Return the barcode reader for browsers without one.

        Served below the app's address, so that the worker caches it.
        """
        policy = {"Content-Security-Policy": READER_SECURITY_POLICY}
        headers = {**PAGE_SECURITY_HEADERS, "Cache-Control": "no-cache", **policy}
        return Response(READER.read_bytes(), headers=headers, media_type="text/javascript")
