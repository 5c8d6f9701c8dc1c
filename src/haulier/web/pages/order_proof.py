"""Proof of delivery page for signed-in senders and deliverers."""

from base64 import b64decode
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.recipients.deliveries.operations import get_order_proof, get_order_proof_file
from haulier.web.i18n import page_language
from haulier.web.operations_client import Refused, call_with_texts
from haulier.web.pages.deliveries import kept_by_nobody, moment_words
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import PAGE_SECURITY_HEADERS, render_page
from haulier.web.session import app_of, current_session


def order_proof_routes() -> list[BaseRoute]:
    """`/orders/{order_id}/proof` and its pictures."""
    return [
        Route("/orders/{order_id:int}/proof", show_order_proof),
        Route("/orders/{order_id:int}/proof/{file_id:int}", show_order_proof_file),
    ]


async def show_order_proof(request: Request) -> Response:
    """When an order was handed over, to whom, and the pictures."""
    session = await current_session(request)
    if session is None:
        return redirect_to_sign_in(request)
    language = page_language(request)

    def say(id: str, **params: Any) -> str:
        return app_of(request).catalogues.translate(language, f"track.{id}", **params)

    texts = {"order_id": str(request.path_params["order_id"])}
    result = await call_with_texts(request, get_order_proof, texts, session=session)
    if isinstance(result, Refused):
        words = {"title": say("proof"), "text": result.message}
        return render_page(request, "notice.html", status_code=result.status, session=session, **words)
    proof = result.answer.proof
    at = moment_words(language, proof.at) if proof else None
    page = render_page(request, "order_proof.html", session=session, order=result.answer, proof=proof, at=at, t=say)
    return kept_by_nobody(page)


async def show_order_proof_file(request: Request) -> Response:
    """A picture of the proof."""
    texts = {name: str(request.path_params[name]) for name in ("order_id", "file_id")}
    session = await current_session(request)
    result = await call_with_texts(request, get_order_proof_file, texts, session=session)
    if isinstance(result, Refused):
        return Response(status_code=404)
    content = b64decode(result.answer.content)
    return kept_by_nobody(Response(content, media_type=result.answer.media_type, headers=PAGE_SECURITY_HEADERS))
