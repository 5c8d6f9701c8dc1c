"""Short links in SMS: count the visit and redirect."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.messaging.campaigns.operations.templates import follow_sms_link
from haulier.web.operations_client import Refused, call_with_texts


def text_link_routes() -> list[BaseRoute]:
    """`/s/{code}`: the address in a text."""
    return [Route("/s/{code}", redirect_sms_link, methods=["GET"])]


async def redirect_sms_link(request: Request) -> Response:
    """Redirect to a link's target. HEAD requests of link previews are not counted."""
    if request.method == "HEAD":
        return Response(status_code=204)
    result = await call_with_texts(request, follow_sms_link, {"code": request.path_params["code"][:60]})
    if isinstance(result, Refused):
        return Response(result.message, status_code=result.status, media_type="text/plain")
    return RedirectResponse(result.answer.url, status_code=302, headers={"Cache-Control": "no-store"})
