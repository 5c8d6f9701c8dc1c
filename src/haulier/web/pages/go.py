"""The driver's app: the day, its stops and what is done at them, kept by the phone first and sent when there is a network."""

from haulier.contexts.chat.order_chat.operations.recipients import (
    list_push_devices,
    register_push_device,
    remove_push_device,
)
from haulier.contexts.driver_app.day.operations import get_rider_day
from haulier.contexts.driver_app.locker_stops.operations import (
    get_rider_locker_stop,
    rider_make_locker_code,
    rider_open_locker,
)
from haulier.contexts.driver_app.money.operations import get_my_cash, get_my_earnings
from haulier.contexts.driver_app.offers.operations import accept_offer, decline_offer, list_my_offers, set_duty
from haulier.contexts.driver_app.offline_queue.operations import sync_rider_events
from haulier.contexts.driver_app.positions.operations import push_positions
from haulier.contexts.driver_app.proof.operations import upload_proof
from haulier.contexts.marketplace.route_board.operations import (
    claim_route,
    list_route_board,
    stand_by_for_route,
    withdraw_from_route,
)
from haulier.contexts.orders.return_reasons.operations import list_return_reasons
from haulier.web.pages.phone_app import PhoneApp

GO = PhoneApp(
    name="go",
    audience=get_rider_day.audience,
    operations=(
        get_rider_day,
        sync_rider_events,
        upload_proof,
        push_positions,
        get_rider_locker_stop,
        rider_open_locker,
        rider_make_locker_code,
        list_return_reasons,
        set_duty,
        list_my_offers,
        accept_offer,
        decline_offer,
        list_route_board,
        claim_route,
        stand_by_for_route,
        withdraw_from_route,
        get_my_cash,
        get_my_earnings,
        list_push_devices,
        register_push_device,
        remove_push_device,
    ),
    template="go.html",
    shared_words={"status_": "value.status.", "reason_": "otep.reason.", "alerts_": "alerts."},
)
