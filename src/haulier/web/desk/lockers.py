"""Lockers as their operator sees them: a map of the sites, and each site with its cabinets, drawn box by box.

The scripts call operations by their names, with the cookie of the session and its CSRF token; the operations decide.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from haulier.contexts.lockers.devices.operations.commands import list_device_commands
from haulier.contexts.lockers.devices.operations.devices import get_one_device
from haulier.contexts.lockers.parcels.operations.doors import open_locker_box
from haulier.contexts.lockers.parcels.operations.parcels import list_locker_parcels
from haulier.contexts.lockers.screens.operations.screens import list_locker_screens
from haulier.contexts.lockers.sites.operations.cabinets import list_locker_boxes, update_locker_box
from haulier.contexts.lockers.sites.operations.sites import get_locker_site, list_locker_sites
from haulier.contexts.lockers.stored.operations import otep_client_locker_storage
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.pages import DeskRequest
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_script, script_words

ALLOWED_OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation
    for operation in (
        *(list_locker_sites, get_locker_site, list_locker_boxes, list_locker_parcels, list_locker_screens),
        *(get_one_device, list_device_commands, otep_client_locker_storage, open_locker_box, update_locker_box),
    )
}
"""What the scripts of the pages may call."""


async def locker_map_page(desk: DeskRequest) -> Response:
    """The map of the sites, with how many boxes are free at each."""
    return _page(desk, "locker_map.html")


async def locker_site_page(desk: DeskRequest) -> Response:
    """A site: its cabinets box by box, its devices and screens, and what is to be taken out soon."""
    return _page(desk, "locker_site.html", site_id=desk.request.path_params["site_id"])


async def call_locker_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for a script of a page of the session."""
    return await answer_script(request, ALLOWED_OPERATIONS.get(request.path_params["operation"]))


def _page(desk: DeskRequest, template: str, **values: Any) -> Response:
    if desk.session.account not in list_locker_sites.audience:
        title, text = desk.say("locker_page.title"), desk.say("locker_page.not_for_you")
        return render_page(desk.request, "notice.html", session=desk.session, status_code=403, title=title, text=text)
    return desk.page(template, page_words=script_words(desk.request, {"": "locker_page."}), **values)
