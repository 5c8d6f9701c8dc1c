"""All routes of the pages, with the start page."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from haulier.contexts.identity.public import find_all_client_ids
from haulier.kernel.application import Application
from haulier.web.desk.site import desk_routes
from haulier.web.pages.account_links import account_link_routes
from haulier.web.pages.approvals import approval_routes
from haulier.web.pages.dispatch_board import dispatch_routes
from haulier.web.pages.document_verification import document_verification_routes
from haulier.web.pages.go import GO
from haulier.web.pages.handheld import HANDHELD
from haulier.web.pages.kiosk import kiosk_routes
from haulier.web.pages.order_chat import order_chat_routes
from haulier.web.pages.order_proof import order_proof_routes
from haulier.web.pages.reference import operations_by_context, reference_routes
from haulier.web.pages.sign_in import sign_in_routes
from haulier.web.pages.text_links import text_link_routes
from haulier.web.pages.tracking import tracking_routes
from haulier.web.rendering import WEB_FOLDER, render_page
from haulier.web.session import current_session

DEMO_LOGINS = (
    ("admin@demo.example", "client admin"),
    ("employee@demo.example", "client employee"),
    ("contractor@demo.example", "contractor"),
    ("contractor2@demo.example", "contractor"),
    ("driver@demo.example", "driver"),
    ("customer@demo.example", "customer"),
    ("admin@rival.example", "admin of another client"),
)


class CachedStaticFiles(StaticFiles):
    """What pages load. Browsers may keep it for an hour and then ask whether it changed."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """A file, or 304 when it has not changed."""
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = "public, max-age=3600"
        return response


def page_routes(app: Application, *, demo: bool = False) -> list[BaseRoute]:
    """The routes of the pages and of what they load."""

    has_business = demo

    async def start(request: Request) -> Response:
        nonlocal has_business
        has_business = has_business or await _has_business(app)
        return render_page(
            request,
            "start.html",
            session=await current_session(request),
            demo=demo,
            fresh=not has_business,
            logins=DEMO_LOGINS,
            contexts=operations_by_context(app),
        )

    return [
        Route("/", start),
        *reference_routes(app),
        *tracking_routes(app),
        *sign_in_routes(),
        *account_link_routes(),
        *approval_routes(),
        *dispatch_routes(),
        *HANDHELD.routes(),
        *GO.routes(),
        *kiosk_routes(),
        *desk_routes(app),
        *order_proof_routes(),
        *order_chat_routes(),
        *document_verification_routes(),
        *text_link_routes(),
        Mount("/static", CachedStaticFiles(directory=WEB_FOLDER / "static")),
    ]


async def _has_business(app: Application) -> bool:
    """Whether anybody can sign in. Why asked until it is so and never again: a business that was made stays."""
    async with app.database.read(None) as work:
        return bool(await find_all_client_ids(work))
