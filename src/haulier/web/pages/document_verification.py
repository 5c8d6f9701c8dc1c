"""Public page to verify a document by QR code, number, digest or file."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable
from datetime import datetime
from typing import Any

from babel.dates import format_datetime
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.documents.issued.operations import verify_document
from haulier.contexts.documents.public import MAX_FILE_BYTES
from haulier.web.i18n import page_language
from haulier.web.operations_client import Refused, call_with_texts
from haulier.web.pages.deliveries import kept_by_nobody
from haulier.web.rendering import render_page
from haulier.web.session import app_of

MAX_UPLOAD_BYTES = 25 * 1024 * 1024
_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


def document_verification_routes() -> list[BaseRoute]:
    """Return the routes of `/verify` and `/verify/{number}`, the target of QR codes."""
    return [
        Route("/verify", ask, methods=["GET"]),
        Route("/verify", check_file, methods=["POST"]),
        Route("/verify/{number}", show_number, methods=["GET"]),
    ]


async def ask(request: Request) -> Response:
    """Ask for a file or a number."""
    text = request.query_params.get("number", "").strip()
    return await _answered(request, text) if text else _page(request)


async def show_number(request: Request) -> Response:
    """Show the registered document of a number."""
    return await _answered(request, request.path_params["number"])


async def check_file(request: Request) -> Response:
    """Verify a file against the register. The file is not stored."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > MAX_UPLOAD_BYTES:
        return _page(
            request, status_code=413, problem=_translator(request)("too_large", most_mb=MAX_UPLOAD_BYTES // 1024**2)
        )
    async with request.form(max_files=1, max_fields=1) as form:
        sent = form.get("file")
        content = await sent.read() if isinstance(sent, UploadFile) else b""
    if not content:
        return RedirectResponse("/verify", status_code=303)
    if len(content) <= MAX_FILE_BYTES and len(content) > 3:
        return await _shown(request, {"content": b64encode(content).decode()})
    return await _shown(request, {"sha256": hashlib.sha256(content).hexdigest()})


async def _answered(request: Request, text: str) -> Response:
    asked = {"sha256": text} if _DIGEST.fullmatch(text) else {"number": text[:300]}
    return await _shown(request, asked, number=text[:300])


async def _shown(request: Request, asked: dict[str, str], number: str = "") -> Response:
    result = await call_with_texts(request, verify_document, asked)
    if isinstance(result, Refused):
        return _page(request, status_code=result.status, problem=result.message, number=number)
    return _page(request, found=result.answer, number=number)


def _translator(request: Request) -> Callable[..., str]:
    app, language = app_of(request), page_language(request)

    def say(id: str, **params: Any) -> str:
        return app.catalogues.translate(language, f"verify.{id}", **params)

    return say


def _page(request: Request, *, status_code: int = 200, **shown: Any) -> Response:
    language = page_language(request)

    def moment(at: datetime | None) -> str | None:
        return at and format_datetime(at, "long", locale=language.replace("-", "_"))

    found = shown.get("found")
    words: dict[str, Any] = {
        "t": _translator(request),
        "found": None,
        "problem": None,
        "number": "",
        "issued_at": moment(getattr(found, "issued_at", None)),
        "revoked_at": moment(getattr(found, "revoked_at", None)),
    }
    return kept_by_nobody(render_page(request, "verify.html", status_code=status_code, **{**words, **shown}))
