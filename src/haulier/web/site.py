"""All routes of the pages, with the start page."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from haulier.contexts.identity.server_setup.rules import SETUP_PAGE
from haulier.kernel.application import Application
from haulier.web.desk.site import desk_routes
from haulier.web.first_start import FirstStart
from haulier.web.module_pages import page_modules
from haulier.web.pages.account_links import account_link_routes
from haulier.web.pages.approvals import approval_routes
from haulier.web.pages.dispatch_board import dispatch_routes
from haulier.web.pages.document_verification import document_verification_routes
from haulier.web.pages.documentation import documentation_routes
from haulier.web.pages.go import GO
from haulier.web.pages.graphql_explorer import graphql_explorer_routes
from haulier.web.pages.order_proof import order_proof_routes
from haulier.web.pages.pay import pay_routes
from haulier.web.pages.reference import operations_by_context, reference_routes
from haulier.web.pages.region_maps import region_map_routes
from haulier.web.pages.road_lines import road_line_routes
from haulier.web.pages.setup import setup_routes
from haulier.web.pages.sign_in import sign_in_routes
from haulier.web.pages.test_mode import test_mode_routes
from haulier.web.pages.text_links import text_link_routes
from haulier.web.pages.tracking import tracking_routes
from haulier.web.rendering import WEB_FOLDER, render_page
from haulier.web.session import current_session
from haulier.web.static_files import CachedStaticFiles

DEMO_LOGINS = (
    ("admin@demo.example", "client admin"),
    ("employee@demo.example", "client employee"),
    ("contractor@demo.example", "contractor"),
    ("contractor2@demo.example", "contractor"),
    ("driver@demo.example", "driver"),
    ("customer@demo.example", "customer"),
    ("admin@rival.example", "admin of another client"),
)


def page_routes(app: Application, *, demo: bool = False) -> list[BaseRoute]:
    """The routes of the pages and of what they load."""

    first_start = FirstStart(app, over=demo)

    async def start(request: Request) -> Response:
        if await first_start.waits():
            return RedirectResponse(SETUP_PAGE, 303)
        return render_page(
            request,
            "start.html",
            session=await current_session(request),
            demo=demo,
            logins=DEMO_LOGINS,
            contexts=operations_by_context(app),
        )

    return [
        Route("/", start),
        *reference_routes(app),
        *graphql_explorer_routes(app),
        *documentation_routes(),
        *tracking_routes(app),
        *region_map_routes(),
        *road_line_routes(),
        *setup_routes(first_start),
        *sign_in_routes(first_start),
        *test_mode_routes(),
        *account_link_routes(),
        *approval_routes(),
        *dispatch_routes(),
        *GO.routes(),
        *pay_routes(),
        *(route for page in page_modules(app) for route in page.module_routes(app)),
        *desk_routes(app, gallery=demo),
        *order_proof_routes(),
        *document_verification_routes(),
        *text_link_routes(),
        Mount("/static", CachedStaticFiles(directory=WEB_FOLDER / "static")),
    ]
