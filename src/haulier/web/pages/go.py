"""Driver app: day, stops and actions, saved on the phone and synced when online."""

from haulier.contexts.driver_app.day.operations import get_rider_day
from haulier.contexts.driver_app.money.operations import get_my_cash, get_my_earnings
from haulier.contexts.driver_app.offers.operations import accept_offer, decline_offer, list_my_offers, set_duty
from haulier.contexts.driver_app.offline_queue.operations import sync_rider_events
from haulier.contexts.driver_app.positions.operations import push_positions
from haulier.contexts.driver_app.proof.operations import upload_proof
from haulier.contexts.orders.return_reasons.operations import list_return_reasons
from haulier.web.pages.phone_app import PhoneApp

GO = PhoneApp(
    name="go",
    audience=get_rider_day.audience,
    operations=frozenset(
        {
            get_rider_day.name,
            sync_rider_events.name,
            upload_proof.name,
            push_positions.name,
            "get_rider_locker_stop",
            "rider_open_locker",
            "rider_make_locker_code",
            list_return_reasons.name,
            set_duty.name,
            list_my_offers.name,
            accept_offer.name,
            decline_offer.name,
            "list_route_board",
            "claim_route",
            "stand_by_for_route",
            "withdraw_from_route",
            get_my_cash.name,
            get_my_earnings.name,
            "list_push_devices",
            "register_push_device",
            "remove_push_device",
        }
    ),
    template="go.html",
    shared_words={"status_": "value.status.", "reason_": "otep.reason.", "alerts_": "alerts."},
)
