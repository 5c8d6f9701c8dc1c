"""Lockers as their operator sees them: a map of the sites, and each site with its cabinets, drawn box by box.

The scripts call operations by their names, with the cookie of the session and its CSRF token; the operations decide.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.lockers.devices.operations.commands import list_device_commands
from haulier.contexts.lockers.devices.operations.devices import get_one_device
from haulier.contexts.lockers.parcels.operations.doors import open_locker_box
from haulier.contexts.lockers.parcels.operations.parcels import list_locker_parcels
from haulier.contexts.lockers.screens.operations import list_locker_screens
from haulier.contexts.lockers.sites.operations.cabinets import list_locker_boxes, update_locker_box
from haulier.contexts.lockers.sites.operations.sites import get_locker_site, list_locker_sites
from haulier.contexts.lockers.stored.operations import otep_client_locker_storage
from haulier.web.desk.places import places_of
from haulier.web.i18n import page_translator
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_script, script_words
from haulier.web.session import app_of, current_session

ALLOWED_OPERATIONS = {
    operation.name: operation
    for operation in (
        *(list_locker_sites, get_locker_site, list_locker_boxes, list_locker_parcels, list_locker_screens),
        *(get_one_device, list_device_commands, otep_client_locker_storage, open_locker_box, update_locker_box),
    )
}
"""What the scripts of the pages may call."""


def locker_site_routes() -> list[BaseRoute]:
    """`/desk/lockers`, the page of each site below it, and the calls of their scripts."""
    return [
        Route("/desk/lockers", locker_map_page, methods=["GET"]),
        Route("/desk/lockers/{site_id:int}", locker_site_page, methods=["GET"]),
        Route("/desk/lockers/ask/{operation}", call_locker_operation, methods=["POST"]),
    ]


async def locker_map_page(request: Request) -> Response:
    """The map of the sites, with how many boxes are free at each."""
    return await _page(request, "locker_map.html")


async def locker_site_page(request: Request) -> Response:
    """A site: its cabinets box by box, its devices and screens, and what is to be taken out soon."""
    return await _page(request, "locker_site.html", site_id=request.path_params["site_id"])


async def call_locker_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for a script of a page of the session."""
    return await answer_script(request, ALLOWED_OPERATIONS.get(request.path_params["operation"]))


async def _page(request: Request, template: str, **values: object) -> Response:
    session, say = await current_session(request), page_translator(request)
    if session is None:
        return redirect_to_sign_in(request)
    if session.account not in list_locker_sites.audience:
        title, text = say("locker_page.title"), say("locker_page.not_for_you")
        return render_page(request, "notice.html", session=session, status_code=403, title=title, text=text)
    sections = places_of(app_of(request).registry).sections_for(session)
    words = script_words(request, {"": "locker_page."})
    return render_page(request, template, session=session, sections=sections, page_words=words, **values)
