"""The routes of the desk."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.application import Application
from haulier.web.desk.acts import act_page, submit_act
from haulier.web.desk.agent import agent_page, agent_stream, submit_to_agent
from haulier.web.desk.bookings import bookings_page
from haulier.web.desk.day_list import day_list_page
from haulier.web.desk.find import find_page
from haulier.web.desk.import_orders import import_orders_page, submit_order_file
from haulier.web.desk.insights import insights_page
from haulier.web.desk.live import live_list, live_part, live_record
from haulier.web.desk.lockers import (
    call_locker_operation,
    locker_map_page,
    locker_site_page,
    stream_locker_map,
    stream_locker_site,
)
from haulier.web.desk.new_order import new_order_page
from haulier.web.desk.pages import DeskRequest, pick_page, section_page
from haulier.web.desk.places import places_of
from haulier.web.desk.plans.pages import record_or_plan_page
from haulier.web.desk.plans.planning import pack_page, plan_load_page, submit_load, submit_packing
from haulier.web.desk.set_up import set_up_page
from haulier.web.desk.today import today_page
from haulier.web.desk.views import list_or_first_view, submit_view
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.session import current_session

Page = Callable[[DeskRequest], Awaitable[Response]]


def desk_routes(app: Application) -> list[BaseRoute]:
    """`/desk` and everything below it, and the list of a day, for those who are signed in."""

    def shown_by(page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            session = await current_session(request)
            if session is None:
                return redirect_to_sign_in(request)
            return await page(DeskRequest(request, session, places_of(app.registry)))

        return endpoint

    return [
        Route("/desk", shown_by(today_page), methods=["GET"]),
        Route("/desk/set-up", shown_by(set_up_page), methods=["GET"]),
        Route("/desk/new-order", shown_by(new_order_page), methods=["GET"]),
        Route("/desk/bookings", shown_by(bookings_page), methods=["GET"]),
        Route("/desk/import-orders", shown_by(import_orders_page), methods=["GET"]),
        Route("/desk/import-orders", shown_by(submit_order_file), methods=["POST"]),
        Route("/desk/insights", shown_by(insights_page), methods=["GET"]),
        Route("/desk/agent", shown_by(agent_page), methods=["GET"]),
        Route("/desk/agent", shown_by(submit_to_agent), methods=["POST"]),
        Route("/desk/agent/{agent_session_id:int}", shown_by(agent_page), methods=["GET"]),
        Route("/desk/agent/{agent_session_id:int}", shown_by(submit_to_agent), methods=["POST"]),
        Route("/desk/agent/{agent_session_id:int}/stream", shown_by(agent_stream), methods=["GET"]),
        Route("/desk/find", shown_by(find_page), methods=["GET"]),
        Route("/desk/sections/{section}", shown_by(section_page), methods=["GET"]),
        Route("/desk/act/{operation}", shown_by(act_page), methods=["GET"]),
        Route("/desk/act/{operation}", shown_by(submit_act), methods=["POST"]),
        Route("/desk/lockers", shown_by(locker_map_page), methods=["GET"]),
        Route("/desk/lockers/{site_id:int}", shown_by(locker_site_page), methods=["GET"]),
        Route("/desk/lockers/stream", shown_by(stream_locker_map), methods=["GET"]),
        Route("/desk/lockers/{site_id:int}/stream", shown_by(stream_locker_site), methods=["GET"]),
        Route("/desk/lockers/ask/{operation}", call_locker_operation, methods=["POST"]),
        Route("/desk/plan-loading", shown_by(plan_load_page), methods=["GET"]),
        Route("/desk/plan-loading", shown_by(submit_load), methods=["POST"]),
        Route("/desk/choose-cartons", shown_by(pack_page), methods=["GET"]),
        Route("/desk/choose-cartons", shown_by(submit_packing), methods=["POST"]),
        Route("/dispatch/list", day_list_page, methods=["GET"]),
        Route("/desk/live-parts/{part}", shown_by(live_part), methods=["GET"]),
        Route("/desk/live/{noun}", shown_by(live_list), methods=["GET"]),
        Route("/desk/live/{noun}/{ids:path}", shown_by(live_record), methods=["GET"]),
        Route("/desk/{noun}", shown_by(list_or_first_view), methods=["GET"]),
        Route("/desk/{noun}", shown_by(submit_view), methods=["POST"]),
        Route("/desk/{noun}/pick", shown_by(pick_page), methods=["GET"]),
        Route("/desk/{noun}/{ids:path}", shown_by(record_or_plan_page), methods=["GET"]),
    ]
