"""The routes of the desk."""

from collections.abc import Callable
from functools import partial

from starlette.routing import BaseRoute, Route

from haulier.kernel.application import Application
from haulier.web.desk import message_texts
from haulier.web.desk.acts import act_page, submit_act
from haulier.web.desk.billing import billing_page
from haulier.web.desk.bookings import bookings_page
from haulier.web.desk.customers import portal_page
from haulier.web.desk.day_list import day_list_page
from haulier.web.desk.day_routes import submit_day_route
from haulier.web.desk.endpoints import Endpoint, Page, make_endpoint
from haulier.web.desk.find import find_page
from haulier.web.desk.first_steps.pages import set_up_page, submit_step
from haulier.web.desk.fleet import fleet_page, invite_driver_page, submit_invite
from haulier.web.desk.gallery import gallery_page
from haulier.web.desk.import_orders import import_orders_page, submit_order_file
from haulier.web.desk.insights import insights_page
from haulier.web.desk.invoice_runs import invoice_run_page, invoice_run_progress_page, start_run
from haulier.web.desk.invoices import credit_invoice_page, submit_credit, submit_void, void_invoice_page
from haulier.web.desk.lists import pick_page
from haulier.web.desk.live import live_list, live_part, live_record
from haulier.web.desk.map_regions import append_upload, map_regions_page, start_installation
from haulier.web.desk.module_switches import modules_page
from haulier.web.desk.new_order import find_address_at, find_places, new_order_page, submit_new_order
from haulier.web.desk.pages import section_page
from haulier.web.desk.payouts import payout_run_page, submit_dispute, submit_payout_run
from haulier.web.desk.pickers import options_page
from haulier.web.desk.receivables import receivables_page
from haulier.web.desk.received_payments import allocate_payment_page, submit_allocation
from haulier.web.desk.records import record_page
from haulier.web.desk.settings import settings_page
from haulier.web.desk.setup_progress import dismiss_setup_progress
from haulier.web.desk.today import today_page
from haulier.web.desk.views import list_or_first_view, submit_view


def desk_routes(app: Application, *, gallery: bool = False) -> list[BaseRoute]:
    """Return the routes of `/desk` and of the list of a day for signed-in users."""

    shown_by = partial(make_endpoint, app)
    return [
        *([Route("/desk/gallery", shown_by(gallery_page), methods=["GET"])] if gallery else []),
        Route("/desk", shown_by(today_page), methods=["GET"]),
        Route("/desk/set-up", shown_by(set_up_page), methods=["GET"]),
        Route("/desk/set-up", shown_by(submit_step), methods=["POST"]),
        Route("/desk/set-up/dismiss", shown_by(dismiss_setup_progress), methods=["POST"]),
        Route("/desk/modules", shown_by(modules_page), methods=["GET"]),
        Route("/desk/new-order", shown_by(new_order_page), methods=["GET"]),
        Route("/desk/new-order", shown_by(submit_new_order), methods=["POST"]),
        Route("/desk/day-route", shown_by(submit_day_route), methods=["POST"]),
        Route("/desk/places", shown_by(find_places), methods=["GET"]),
        *_billing_routes(shown_by),
        Route("/desk/places/nearest", shown_by(find_address_at), methods=["GET"]),
        Route("/desk/bookings", shown_by(bookings_page), methods=["GET"]),
        Route("/desk/import-orders", shown_by(import_orders_page), methods=["GET"]),
        Route("/desk/import-orders", shown_by(submit_order_file), methods=["POST"]),
        Route("/desk/map-regions", shown_by(map_regions_page), methods=["GET"]),
        Route("/desk/map-regions", shown_by(start_installation), methods=["POST"]),
        Route("/desk/map-regions/uploads/{upload}", shown_by(append_upload), methods=["PUT"]),
        Route("/desk/insights", shown_by(insights_page), methods=["GET"]),
        Route("/desk/options/{source}", shown_by(options_page), methods=["GET"]),
        Route("/desk/find", shown_by(find_page), methods=["GET"]),
        Route("/desk/sections/{section}", shown_by(section_page), methods=["GET"]),
        Route("/desk/act/{operation}", shown_by(act_page), methods=["GET"]),
        Route("/desk/act/{operation}", shown_by(submit_act), methods=["POST"]),
        Route("/dispatch/list", day_list_page, methods=["GET"]),
        Route("/desk/live-parts/{part}", shown_by(live_part), methods=["GET"]),
        Route("/desk/live/{noun}", shown_by(live_list), methods=["GET"]),
        Route("/desk/live/{noun}/{ids:path}", shown_by(live_record), methods=["GET"]),
        Route("/desk/settings", shown_by(settings_page), methods=["GET"]),
        *message_texts.module_routes(app),
        Route("/desk/fleet", shown_by(fleet_page), methods=["GET"]),
        Route("/desk/drivers/{driver_id:int}/invite", shown_by(invite_driver_page), methods=["GET"]),
        Route("/desk/drivers/{driver_id:int}/invite", shown_by(submit_invite), methods=["POST"]),
        Route("/desk/customers/{customer_id:int}/portal", shown_by(portal_page), methods=["GET"]),
        Route("/desk/{noun}", shown_by(list_or_first_view), methods=["GET"]),
        Route("/desk/{noun}", shown_by(submit_view), methods=["POST"]),
        Route("/desk/{noun}/pick", shown_by(pick_page), methods=["GET"]),
        Route("/desk/{noun}/{ids:path}", shown_by(record_page), methods=["GET"]),
    ]


def _billing_routes(shown_by: Callable[[Page], Endpoint]) -> list[BaseRoute]:
    return [
        Route("/desk/billing", shown_by(billing_page), methods=["GET"]),
        Route("/desk/invoice-run", shown_by(invoice_run_page), methods=["GET"]),
        Route("/desk/invoice-run", shown_by(start_run), methods=["POST"]),
        Route("/desk/invoice-run/{run_id:int}", shown_by(invoice_run_progress_page), methods=["GET"]),
        Route("/desk/receivables", shown_by(receivables_page), methods=["GET"]),
        Route("/desk/credit-invoice", shown_by(credit_invoice_page), methods=["GET"]),
        Route("/desk/credit-invoice", shown_by(submit_credit), methods=["POST"]),
        Route("/desk/void-invoice", shown_by(void_invoice_page), methods=["GET"]),
        Route("/desk/void-invoice", shown_by(submit_void), methods=["POST"]),
        Route("/desk/allocate-payment", shown_by(allocate_payment_page), methods=["GET"]),
        Route("/desk/allocate-payment", shown_by(submit_allocation), methods=["POST"]),
        Route("/desk/payout-run", shown_by(payout_run_page), methods=["GET"]),
        Route("/desk/payout-run", shown_by(submit_payout_run), methods=["POST"]),
        Route("/desk/payouts/{payout_id:int}/disputes", shown_by(submit_dispute), methods=["POST"]),
    ]
