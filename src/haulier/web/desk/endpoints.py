"""Endpoints of the desk: pages for people who are signed in."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from haulier.kernel.application import Application
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import places_of
from haulier.web.desk.portal import load_brand
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.session import current_session

Page = Callable[[DeskRequest], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]


def make_endpoint(app: Application, page: Page) -> Endpoint:
    """The endpoint of a desk page. It redirects to sign-in without a session."""

    async def endpoint(request: Request) -> Response:
        session = await current_session(request)
        if session is None:
            return redirect_to_sign_in(request)
        brand = await load_brand(app, session)
        return await page(DeskRequest(request, session, places_of(app.registry), brand))

    return endpoint
