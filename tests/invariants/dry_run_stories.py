"""Stories that need an email, app, provider or document, with their writes."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.adapters.fake_sms_provider import run_sms_provider
from tests.contexts.billing.invoices.makers import charged, make_billing_business
from tests.contexts.billing.ledger.makers import cad, make_call
from tests.contexts.booking.reservations.makers import make_missed_visit
from tests.contexts.control_tower.simulated_business.steps import open_test_mode
from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, offer_customer_app
from tests.contexts.customer_apps.openid_provider import run_openid_provider
from tests.contexts.customer_apps.registration.steps import prove_phone, waiting
from tests.contexts.fleet.driver_sign_in.steps import make_sign_in_link
from tests.contexts.identity.invitations.steps import MIA, accept, invited
from tests.contexts.identity.mailbox import link_token
from tests.contexts.identity.passwords.steps import ADA, OLD, ask, reset
from tests.contexts.identity.sessions.steps import ben
from tests.contexts.lockers.makers import make_cabinet
from tests.contexts.lockers.resale_makers import make_resale
from tests.contexts.lockers.return_makers import allow_returns, make_keeper
from tests.contexts.lockers.shop.makers import make_shop
from tests.contexts.messaging.sms.steps import OWN
from tests.contexts.messaging.sms.steps import PHONE as TO_A_PHONE
from tests.contexts.oauth.grants.steps import ADDRESS, Documents, ann
from tests.contexts.oauth.grants.steps import make_document as about_an_agent
from tests.contexts.payments.examples import ACCOUNT
from tests.contexts.payments.makers import make_payment, make_stripe
from tests.contexts.planning.builds.makers import build_and_read, make_small_day
from tests.contexts.tracking.ingest.requests import (
    make_document,
    make_event,
    make_key,
    make_object_event,
    make_timeline,
)
from tests.contexts.warehouse.packing_makers import make_carton
from tests.invariants.dry_run_sms import SMS_WRITES, WHY, sms_marketing
from tests.support.app import App
from tests.support.small_maps import write_map
from tests.support.transport import make_order, make_started_route

from haulier.adapters.regions.folder import RegionFolder
from haulier.adapters.regions.installs import ServerRegionInstalls
from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.contexts.billing.public import top_up
from haulier.contexts.identity.ports import Operators
from haulier.contexts.messaging.ports import SecretVault, SmsProviderDirectory
from haulier.contexts.oauth.ports import AgentDocumentFetcher
from haulier.contexts.places.public import RegionInstalls, Regions

COVERED_ELSEWHERE = {
    "send_invoice_reminder": "tests/contexts/billing/invoices/test_reminders_by_hand.py: needs days to pass",
    **dict.fromkeys(
        ("create_delivery_return", "renew_return_code", "cancel_return"),
        "tests/contexts/lockers: needs a parcel that was delivered",
    ),
    "rate_delivery": "tests/contexts/recipients/deliveries/test_ratings.py: needs a parcel that was delivered",
    "accept_partner_order": "tests/contexts/marketplace/partners: changes the giver's rows, which the partner is not shown",
    "accept_invitation": "tests/contexts/identity: needs the secret of a letter",
    "approve_app_registration": "tests/contexts/identity: needs an app",
    "commit_load_plan": "tests/contexts/warehouse/test_load_plans.py: quotes the answer of a question",
    "commit_packing_plan": "tests/contexts/warehouse/test_packing.py: quotes the answer of a question",
    "commit_plan_search": "tests/contexts/warehouse/test_plan_searches.py: needs a search that is over",
    "commit_route_build": "tests/contexts/planning/builds: needs a search that is over",
    "complete_registration": "tests/contexts/identity: needs the code of a text message",
    "create_first_business": "tests/contexts/identity: needs a server without any account",
    "disconnect_agent": "tests/contexts/oauth/grants: needs a connected agent",
    "erase_personal_data": "tests/contexts/control_tower/personal_data: refused while a route of the driver is under way",
    "import_points_of_interest": "needs a document",
    "import_zones": "needs a document",
    "install_map_region": "tests/contexts/places/map_regions: needs an extract",
    "ingest_epcis": "tests/contexts/tracking: needs a provider's key",
    "ingest_timelines": "tests/contexts/tracking: needs a provider's key",
    "login": "needs a password, and remembers wrong ones even in a rehearsal",
    "resolve_agent_metadata": "tests/contexts/oauth/grants: needs a document on the web",
    **dict.fromkeys(
        (
            *("set_payment_account", "test_payment_account", "create_payment", "cancel_payment", "refund_payment"),
            *("receive_payment_event", "start_linked_shop_payment", "create_payment_link", "start_linked_payment"),
        ),
        "tests/contexts/payments: needs a payment provider, and a key to keep secrets with",
    ),
    **dict.fromkeys(SMS_WRITES, WHY),
    "pay_no_show_fee": "tests/contexts/payments: needs a visit that was missed",
    "pick_up_at_stop": "needs an order of the kind P",
    **dict.fromkeys(
        ("advance_test_record", "reset_test_data", "open_test_session", "load_sample_data", "remove_sample_data"),
        "tests.contexts.control_tower.simulated_business: needs a test token or a signed-in user",
    ),
    "refresh_app_session": "tests/contexts/identity: needs an app",
    "reject_app_registration": "tests/contexts/identity: needs an app",
    "remove_sms_account": "tests/contexts/messaging/sms: needs an account with a provider",
    "refund_charge": "tests/contexts/billing: needs a charge, which an order or a label makes",
    "repeat_personal_data_request": "tests/contexts/control_tower/personal_data: needs a job that gave up",
    "report_partner_order": "tests/contexts/marketplace/partners: changes the giver's rows, which the partner is not shown",
    "request_phone_code": "tests/contexts/identity: needs an app",
    "resend_invitation": "tests/contexts/identity: needs an invitation",
    "reset_password": "tests/contexts/identity: needs the secret of a letter",
    "retry_invoice_run": "tests/contexts/billing/invoice_runs: needs a run whose job has run",
    "return_partner_order": "tests/contexts/marketplace/partners: changes the giver's rows, which the partner is not shown",
    "recall_partner_order": "tests/contexts/marketplace/partners: needs an order that a partner took",
    "revoke_document": "tests/contexts/documents/issued: needs a document whose job has run",
    "confirm_provider_key": "needs a provider's key",
    "revoke_provider_key": "needs a provider's key",
    "remove_push_signature": "needs a provider's key",
    "replay_carrier_message": "needs a message of a carrier",
    "set_push_signature": "needs a provider's key, and one to keep secrets with",
    "revoke_session": "needs a second session",
    "send_test_sms": "tests/contexts/messaging/sms: needs somebody to send through",
    "set_sms_account": "tests/contexts/messaging/sms: needs a key to keep secrets with",
    "sign_in_to_app_with_email": "tests/contexts/identity: needs an app",
    "sign_in_to_app_with_idp": "tests/contexts/identity: needs an app",
    "sign_in_with_link": "tests/contexts/fleet: needs the secret of a link",
    "sign_out_of_app": "tests/contexts/identity: needs an app",
    "update_app_settings": "tests/contexts/identity: needs an app",
    "update_piece_exception": "tests/contexts/orders: needs a piece that was missing at a delivery",
    "verify_phone": "tests/contexts/identity: needs the code of a text message",
    "waive_no_show_fee": "tests/contexts/payments: needs a visit that was missed",
    "withdraw_invitation": "tests/contexts/identity: needs an invitation",
}
"""Writes that neither the day nor a plausible request reaches, and why. This list should only get shorter."""
WITH_THEIR_OWN = {
    "send_invoice_reminder": "tests/contexts/billing/invoices/test_reminders_by_hand.py",
    "rate_delivery": "tests/contexts/recipients/deliveries/test_ratings.py",
    "create_first_business": "tests/contexts/identity/server_setup/test_server_setup.py",
    "commit_load_plan": "tests/contexts/warehouse/test_load_plans.py",
    "commit_packing_plan": "tests/contexts/warehouse/test_packing.py",
    "revoke_document": "tests/contexts/documents/issued/test_verification.py",
    "refund_charge": "tests/contexts/billing/ledger/test_credit.py",
    "repeat_personal_data_request": "tests/contexts/control_tower/personal_data/test_personal_data.py",
    "erase_personal_data": "tests/contexts/control_tower/personal_data/test_personal_data.py",
    "accept_partner_order": "tests/contexts/marketplace/partners/test_partner_orders.py",
    "report_partner_order": "tests/contexts/marketplace/partners/test_partner_orders.py",
    "update_piece_exception": "tests/contexts/orders/test_piece_exceptions.py",
    "return_partner_order": "tests/contexts/marketplace/partners/test_partner_orders.py",
    "recall_partner_order": "tests/contexts/marketplace/partners/test_own_orders.py",
}


async def letters(app: App) -> None:
    """Invite users and reset a password."""
    first = await invited(app)
    await app.answer("admin", "resend_invitation", {"invitation_id": first.id})
    assert (await accept(app, await link_token(app, MIA))).error is None
    second = await invited(app, email="late@demo.example")
    await app.answer("admin", "withdraw_invitation", {"invitation_id": second.id})
    user = {"name": "Ada", "email": ADA, "account": "employee", "password": OLD}
    await app.answer("admin", "create_user", user)
    await ask(app, ADA)
    assert (await reset(app, await link_token(app, ADA))).error is None


async def sessions(app: App) -> None:
    """Sign in twice and end one session; sign in a driver with a link."""
    await ben(app, "desk", "phone")
    (other,) = [one for one in (await app.answer("desk", "list_sessions")).sessions if not one.current]
    await app.answer("desk", "revoke_session", {"session_id": other.id})
    made = await make_sign_in_link(app)
    assert (await app.call(None, "sign_in_with_link", {"token": made.token})).error is None


async def apps(app: App) -> None:
    """Use a customer app, signed in by password and by identity provider."""
    with run_openid_provider() as provider:
        await offer_customer_app(app, issuer=provider.issuer)
        cleo = {"email": "cleo@demo.example", "password": "correct horse battery"}
        await app.answer("admin", "create_user", {"name": "Cleo", "account": "customer", **cleo})
        session = await app.answer(None, "sign_in_to_app_with_email", {**CLIENT_APP, **DEVICE, **cleo})
        app.tokens["cleo"] = session.access_token
        app.tokens["cleo"] = (await app.answer("cleo", "refresh_app_session", {**CLIENT_APP, **DEVICE})).access_token
        await app.answer("cleo", "sign_out_of_app", CLIENT_APP)
        by_provider = {**CLIENT_APP, **DEVICE, "id_token": provider.token(app.clock.now)}
        await app.answer(None, "sign_in_to_app_with_idp", by_provider)


async def registrations(app: App) -> None:
    """Register two users by phone; approve one and reject the other."""
    phones = await offer_customer_app(app, requires_approval=True)
    admitted = await waiting(app, phones)
    await app.answer("admin", "approve_app_registration", {"registration_id": admitted})
    app.clock.forward(hours=2)
    words = {"email": "other@home.example", "registration_token": await prove_phone(app, phones, "(416) 555-0199")}
    refused = await waiting(app, phones, **words)
    await app.answer("admin", "reject_app_registration", {"registration_id": refused})


async def texting(app: App) -> None:
    """Send messages through an account of the client."""
    with run_sms_provider() as desk:
        adapters: Any = app.application.adapters
        adapters[SecretVault], adapters[SmsProviderDirectory] = (
            EncryptedVault(b"k" * KEY_BYTES),
            HttpSmsProviders(twilio=desk.url),
        )
        await app.answer("admin", "set_sms_account", OWN)
        await app.answer("admin", "send_test_sms", TO_A_PHONE)
        await app.answer("admin", "remove_sms_account")


async def online_payments(app: App) -> None:
    """Pay online after a failed attempt, and refund a part."""
    stripe = await make_stripe(app)
    await app.answer("admin", "set_payment_account", ACCOUNT)
    await app.answer("admin", "test_payment_account")
    await app.answer("customer", "cancel_payment", {"payment_id": (await make_payment(app)).payment_id})
    link = (await (await make_shop(app)).reserve_as_guest()).link
    await app.answer(None, "start_linked_shop_payment", {"link": link})
    bill = {"purpose": "locker_lease", "subject_id": (await (await make_resale(app)).reserve()).id}
    link = (await app.answer("admin", "create_payment_link", bill)).link
    await app.answer(None, "start_linked_payment", {"link": link})
    payment = await make_payment(app)
    stripe.play("pay")
    told = stripe.account.events[-1]
    named = {"endpoint_key": stripe.path.rpartition("/")[2], "signature": stripe.signed(told)}
    await app.answer(None, "receive_payment_event", told, texts=named)
    await app.work_off()
    back = {"payment_id": payment.payment_id, "amount_minor": 1000, "reference": "C-1", "reason": "Late"}
    await app.answer("admin", "refund_payment", back)


async def invoice_runs(app: App) -> None:
    """Retry an invoice run after it billed a customer."""
    await make_billing_business(app)
    await charged(app, 1000)
    asked = {"until": app.clock().date().isoformat()}
    run = (await app.answer("admin", "start_invoice_run", asked)).invoice_run
    await app.work_off()
    await app.answer("admin", "retry_invoice_run", {"invoice_run_id": run.id})


async def agents(app: App) -> None:
    """Connect and disconnect an agent, and identify another by its document."""
    await (await ann(app)).connected()
    (one,) = (await app.answer("ann", "list_connected_agents")).agents
    await app.answer("ann", "disconnect_agent", {"connection_id": one.id})
    documents = Documents({ADDRESS: about_an_agent(redirect_uris=["http://127.0.0.1:33418/callback"])})
    app.application.adapters = {**app.application.adapters, AgentDocumentFetcher: documents}
    await app.answer("ann", "resolve_agent_metadata", {"client_id": ADDRESS})


async def providers(app: App) -> None:
    """Receive carrier events, then revoke the provider's key."""
    app.tokens["carrier"] = await make_key(app)
    await app.answer("carrier", "ingest_timelines", make_timeline(make_event()))
    await app.answer("carrier", "ingest_epcis", make_document(make_object_event()))
    await app.answer("carrier", "ingest_timelines", {"resource_type": "API_NEW", "data": {"tracking_number": "N-1"}})
    await app.work_off()
    (message,) = (await app.answer("admin", "list_carrier_messages")).carrier_messages
    await app.answer("admin", "replay_carrier_message", {"carrier_message_id": message.id})
    (one,) = (await app.answer("admin", "list_provider_keys")).providers
    adapters: Any = app.application.adapters
    adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)
    await app.answer("admin", "confirm_provider_key", {"provider_id": one.id})
    signed = {"provider_id": one.id, "scheme": "easypost", "secret": "wh-secret-4f9a"}
    await app.answer("admin", "set_push_signature", signed)
    await app.answer("admin", "remove_push_signature", {"provider_id": one.id})
    await app.answer("admin", "revoke_provider_key", {"provider_id": one.id})


async def pickups(app: App) -> None:
    """Collect a pickup order as a driver."""
    route = await make_started_route(app, [await make_order(app, type="P")])
    await app.answer("driver", "pick_up_at_stop", {"route_id": route.id, "stop_id": route.stops[0].id})


async def map_regions(app: App) -> None:
    """Install the map of a region as an operator of the server."""
    with TemporaryDirectory() as folder:
        write_map(Path(folder, "old-town.pmtiles"))
        adapters: Any = app.application.adapters
        adapters[Regions] = RegionFolder(Path(folder, "regions"))
        adapters[RegionInstalls] = ServerRegionInstalls(Path(folder, "regions"), app.database)
        adapters[Operators] = Operators(frozenset({"admin@demo.example"}))
        await app.answer("admin", "install_map_region", {"path": str(Path(folder, "old-town.pmtiles"))})
        await app.work_off()


async def missed_visits(app: App) -> None:
    """Charge a customer for a missed visit, and waive the fee."""
    missed = {"reservation_id": await make_missed_visit(app)}
    async with make_call(app) as call:
        await top_up(call, app.ids["customer"], cad(1000), key="for the fee")
    await app.answer("customer", "pay_no_show_fee", missed)
    await app.answer("admin", "waive_no_show_fee", {**missed, "reason": "The road was closed."})


async def returns(app: App) -> None:
    """Start a locker return as a recipient, and cancel it."""
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    await keeper.begins(cabinet.site_id)
    await keeper.does("renew_return_code")
    await keeper.does("cancel_return")


async def plans(app: App) -> None:
    """Commit a plan."""
    await make_small_day(app, orders=3)
    await app.answer("admin", "commit_route_build", {"build_id": (await build_and_read(app)).id})


async def searched_plans(app: App) -> None:
    """Commit the plan of a search."""
    await make_carton(app, "S", 200, 100, 100)
    mug = {"id": "mug", "length_mm": 90, "width_mm": 90, "height_mm": 90}
    search = (await app.answer("admin", "start_packing_search", {"pieces": [mug], "steps": 10})).search
    await app.work_off()
    order = await make_order(app)
    await app.answer("admin", "commit_plan_search", {"plan_search_id": search.id, "order_id": order})


async def documents_of_places(app: App) -> None:
    """Import documents with places and zones."""
    rows = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Bay"}}]}
    await app.answer("admin", "import_points_of_interest", rows)
    await app.answer("admin", "import_zones", rows)


async def simulated_day(app: App) -> None:
    """Advance an order in test mode, delete the test data, and try sample data."""
    await app.answer(await app.sign_in("admin"), "open_test_session")
    who = await open_test_mode(app)
    await app.answer(who, "advance_test_record", {"order_id": await make_order(app, who)})
    await app.answer(who, "reset_test_data", confirmed=True)
    await app.answer(who, "load_sample_data")
    await app.answer(who, "remove_sample_data")


STORIES = {
    letters: {"accept_invitation", "resend_invitation", "reset_password", "withdraw_invitation"},
    sessions: {"login", "revoke_session", "sign_in_with_link"},
    apps: {
        *{"update_app_settings", "sign_in_to_app_with_email", "sign_in_to_app_with_idp"},
        *{"refresh_app_session", "sign_out_of_app"},
    },
    registrations: {
        *{"request_phone_code", "verify_phone", "complete_registration"},
        *{"approve_app_registration", "reject_app_registration"},
    },
    texting: {"set_sms_account", "send_test_sms", "remove_sms_account"},
    online_payments: {
        *{"set_payment_account", "test_payment_account", "create_payment", "cancel_payment", "refund_payment"},
        *("receive_payment_event", "start_linked_shop_payment", "create_payment_link", "start_linked_payment"),
    },
    invoice_runs: {"retry_invoice_run"},
    agents: {"disconnect_agent", "resolve_agent_metadata"},
    providers: {
        *{"ingest_timelines", "ingest_epcis", "confirm_provider_key", "revoke_provider_key"},
        *{"set_push_signature", "remove_push_signature", "replay_carrier_message"},
    },
    documents_of_places: {"import_points_of_interest", "import_zones"},
    sms_marketing: SMS_WRITES,
    pickups: {"pick_up_at_stop"},
    map_regions: {"install_map_region"},
    missed_visits: {"pay_no_show_fee", "waive_no_show_fee"},
    returns: {"create_delivery_return", "renew_return_code", "cancel_return"},
    plans: {"commit_route_build"},
    simulated_day: {
        *{"advance_test_record", "reset_test_data", "open_test_session"},
        *{"load_sample_data", "remove_sample_data"},
    },
    searched_plans: {"commit_plan_search"},
}
"""Each story with the writes that it must reach."""
