"""Steps of a day, each run as a dry run first, with values from earlier steps."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.contexts.orders.order_imports.examples import FILE
from tests.invariants.dry_run_addresses import addresses
from tests.invariants.dry_run_agent import agent_steps
from tests.invariants.dry_run_chats import chat_steps
from tests.invariants.dry_run_consolidation import consolidation_steps
from tests.invariants.dry_run_credit import credit_steps
from tests.invariants.dry_run_custom_fields import custom_field_steps
from tests.invariants.dry_run_datasets import dataset_steps
from tests.invariants.dry_run_devices import device_order_steps
from tests.invariants.dry_run_freight import freight_steps
from tests.invariants.dry_run_lockers import locker_steps
from tests.invariants.dry_run_luggage import luggage_steps
from tests.invariants.dry_run_payouts import pay_steps
from tests.invariants.dry_run_pickups import pickup_steps
from tests.invariants.dry_run_returns import return_steps
from tests.invariants.dry_run_services import service_steps
from tests.invariants.dry_run_shipping import shipping
from tests.invariants.dry_run_steps import ELSEWHERE, PHOTO, THERE, Known, Step, step
from tests.invariants.dry_run_stock import stock_steps
from tests.invariants.dry_run_storage import storage_steps
from tests.invariants.dry_run_visits import visit_steps
from tests.support.app import App


def order(name: str, **words: Any) -> Step:
    """Return a step that creates an order and stores its id under a name."""
    return step("admin", "create_order", {name: "order.id"}, consignee=THERE, order_ref=name, **words)


def day() -> Iterator[Step]:
    """Yield all steps of the day."""
    yield from _people()
    yield from _the_office()
    yield from _orders()
    yield from _contractors()
    yield from _make_plan()
    yield from (*_make_route(), *return_steps(), *pickup_steps())
    yield from _routes_rearranged()
    yield from _the_route_board()
    yield from _agents()
    yield from _the_drivers_app()
    yield from _orders_on_demand()
    yield from (*agent_steps(), *_approvals())
    yield from _driver_people()
    yield from _partners()
    yield from _alliances()
    yield from _reservations()
    yield from (*_recipients(), *chat_steps())
    yield from (*_webhooks(), *dataset_steps(step), *custom_field_steps(step), *stock_steps())
    yield from addresses()
    yield from shipping()
    yield from (*credit_steps(step), *service_steps(step), *storage_steps(), *consolidation_steps(), *locker_steps())
    yield from device_order_steps()
    yield from (*luggage_steps(), *freight_steps())


def _webhooks() -> Iterator[Step]:
    wanted = {"url": "https://receiver.example/hooks", "events": ["order.created"]}
    yield step("admin", "update_webhook_settings", {"hooks": "endpoints"}, endpoints=[wanted])
    endpoint: Callable[[Known], dict[str, Any]] = lambda known: {"endpoint_id": known["hooks"][0]["id"]}  # noqa: E731
    yield Step("admin", "rotate_webhook_secret", endpoint)
    yield step("admin", "test_webhook_delivery", {"log": "delivery_log_id"}, url=wanted["url"])
    yield Step(
        "admin", "recover_webhook_deliveries", lambda known: {**endpoint(known), "since": "2026-06-10T00:00:00Z"}
    )
    yield step("admin", "replay_webhook_delivery", delivery_log_id="$log")


def _partners() -> Iterator[Step]:
    yield from map(order, ("p1", "p2"))
    yield step("admin", "propose_partnership", {"partnership": "partnership.id"}, business="rival")
    yield step("rival", "accept_partnership", partnership_id="$partnership")
    yield step("rival", "share_partner_rates", partnership_id="$partnership", shares_rates=True)
    offered = {"partnership_id": "$partnership", "order_ids": ["$p1", "$p2"]}
    yield step("admin", "offer_orders_to_partner", {"offers": "offers"}, **offered)
    yield step("rival", "pull_partner_orders", limit=1)
    first, second = (lambda known: known["offers"][0]["id"]), (lambda known: known["offers"][1]["id"])
    yield Step("rival", "decline_partner_order", lambda known: {"offer_id": first(known), "reason": "no van"})
    yield Step("admin", "withdraw_partner_offers", lambda known: {"offer_ids": [second(known)]})
    yield step("rival", "end_partnership", partnership_id="$partnership")


def _alliances() -> Iterator[Step]:
    for there in ("first", "second"):
        yield step("admin", "create_alliance", {there: "alliance.id"}, name="Couriers")
        yield step("admin", "invite_alliance_member", alliance_id=f"${there}", business="rival")
    yield step("admin", "update_alliance", alliance_id="$first", name="Riders")
    yield step("rival", "decline_alliance_invitation", alliance_id="$second")
    for leaves in ("leave_alliance", "remove_alliance_member"):
        yield step("admin", "invite_alliance_member", alliance_id="$second", business="rival")
        yield step("rival", "accept_alliance_invitation", alliance_id="$second")
        who, whom = ("rival", {}) if leaves == "leave_alliance" else ("admin", {"business": "rival"})
        yield step(who, leaves, alliance_id="$second", **whom)
    yield step("admin", "end_alliance", alliance_id="$second")
    yield step("rival", "accept_alliance_invitation", alliance_id="$first")
    granted = {"alliance_id": "$first", "business": "rival"}
    yield step("admin", "grant_tracking", {"grant": "grant.id"}, **granted, tracking_numbers=["HL0000"])
    yield step("admin", "update_shared_numbers", grant_id="$grant", add=["HL0001"])
    yield step("admin", "suspend_tracking_grant", grant_id="$grant")
    yield step("admin", "resume_tracking_grant", grant_id="$grant")
    yield step("admin", "revoke_tracking_grant", grant_id="$grant")


def _reservations() -> Iterator[Step]:
    yield order("booked")
    yield step("admin", "create_booking_zone", {"zone": "zone.id"}, name="Downtown", postal_prefixes=["M5V"])
    yield step("admin", "update_booking_zone", zone_id="$zone", name="Centre", postal_prefixes=["M5"])
    hours = {"zone_id": "$zone", "starts": "10:00", "ends": "12:00", "capacity": 3}
    yield step("admin", "create_booking_pattern", {"pattern": "pattern.id"}, weekdays=[1], **hours)
    yield step("admin", "create_booking_window", {"window": "window.id"}, day="2026-06-11", **hours)
    yield step("admin", "create_booking_window", {"window2": "window.id"}, day="2026-06-12", **hours)
    yield step("admin", "update_booking_window", window_id="$window", capacity=2)
    held = {"window_id": "$window", "postal_code": "M5V 2T6"}
    yield step("admin", "hold_window", {"reservation": "reservation.id"}, **held)
    yield step("admin", "confirm_reservation", reservation_id="$reservation", order_id="$booked")
    yield step("admin", "reschedule_reservation", reservation_id="$reservation", window_id="$window2")
    yield step("admin", "cancel_reservation", reservation_id="$reservation")
    yield from visit_steps()
    yield step("admin", "close_booking_day", day="2026-06-12")
    yield step("admin", "end_booking_pattern", pattern_id="$pattern")


def _recipients() -> Iterator[Step]:
    yield step("admin", "set_recipient_messages", accepted="email", cancelled="both", stops=2)
    yield step("admin", "set_recipient_message_text", message="missed", language="en", sms="Not in: {link}")
    yield step("admin", "set_customer_recipient_messages", customer_id="$customer", accepted="none")
    reachable = {**THERE, "email": "ada@home.example", "postal_code": "M5V 2T6"}
    brings = {"awaited": "order.id", "awaited_number": "order.tracking_number"}
    yield step("admin", "create_order", brings, consignee=reachable, order_ref="awaited")
    hours = {"day": "2026-06-11", "starts": "15:00", "ends": "16:00", "capacity": 3}
    yield step("admin", "create_booking_window", {"window3": "window.id"}, zone_id="$zone", **hours)
    takes_back = [{"code": "too_small", "texts": {"en": "It does not fit"}}]
    yield step("admin", "set_return_settings", reasons=takes_back)
    yield step("admin", "set_brand", colour="#0a5c8f", website="https://demo.example/help")
    yield step("driver", "open_delivery", {"access": "access"}, number="$awaited_number", proof="M5V 2T6")
    yield step("driver", "set_delivery_instruction", access="$access", instruction="Side door.")
    yield step("driver", "choose_delivery_window", access="$access", window_id="$window3")


def _driver_people() -> Iterator[Step]:
    yield step("admin", "set_driver_policy", required=["licence"], notice_days=14)
    yield step("admin", "create_skill", {"skill": "skill.id"}, code="lift", name="Tail lift")
    yield step("admin", "update_skill", skill_id="$skill", name="Tail-lift")
    yield step("admin", "grant_driver_skill", skill_id="$skill", driver_ids=["$dan"])
    yield step("admin", "revoke_driver_skill", skill_id="$skill", driver_ids=["$dan"])
    paper = {"driver_id": "$dan", "kind": "licence", "expires_on": "2027-06-10"}
    yield step("driver", "add_driver_document", {"paper": "document.id"}, **paper, file=PHOTO)
    yield step("admin", "review_driver_document", document_id="$paper", verdict="valid")
    yield step("admin", "remove_driver_document", document_id="$paper")
    asked = {"clientCode": "demo", "name": "Eve", "email": "eve@new.example", "phone": "+14165550123"}
    yield step("driver", "submit_driver_application", {"applicant": "token"}, **asked)
    yield step("driver", "withdraw_driver_application", token="$applicant")


def _people() -> Iterator[Step]:
    yield step("admin", "create_user", {"new": "user.id"}, name="New", email="new@demo.example", account="employee")
    yield step("admin", "update_user", user_id="$new", name="Newer")
    yield step("admin", "disable_user", user_id="$new")
    yield step("admin", "enable_user", user_id="$new")
    yield step("admin", "set_user_password", user_id="$employee", password="a-long-enough-password-1")
    yield step(
        "employee",
        "change_password",
        current_password="a-long-enough-password-1",
        new_password="a-long-enough-password-2",
    )
    yield step("admin", "issue_api_token", {"token": "id"}, name="program")
    yield step("admin", "revoke_api_token", token_id="$token")
    yield step("admin", "set_price_visibility", customer_id="$customer", hidden=["local_delivery"])
    yield step("admin", "set_module", module="broker_order_assignments", enabled=True)
    yield step("admin", "set_feature", feature="order_chat", enabled=True)
    yield step("admin", "update_client", name="Demo Deliveries")


def _the_office() -> Iterator[Step]:
    yield step("admin", "create_depot", {"depot": "depot.id"}, name="D", address="1 Bay St", lat=43.6, lng=-79.3)
    yield step("admin", "update_depot", depot_id="$depot", name="Depot")
    yield step("admin", "create_depot", {"spare": "depot.id"}, name="S", address="2 Bay St", lat=43.6, lng=-79.4)
    yield step("admin", "close_depot", depot_id="$spare")
    yield step("admin", "create_driver", {"dan": "driver.id"}, name="Dan", user_id="$driver")
    yield step("admin", "update_driver", driver_id="$dan", phone="+14165550100")
    yield step("admin", "add_return_reason", {"reason": "reason.id"}, code="wet", texts={"en": "Wet"})
    yield step("admin", "update_return_reason", reason_id="$reason", texts={"en": "Soaked"})


def _orders() -> Iterator[Step]:
    yield from map(order, ("o1", "o2", "o3", "o4", "o5", "o6"))
    yield step("admin", "update_order_note", order_id="$o1", note="ring twice")
    yield step("admin", "update_delivery_instruction", order_id="$o1", delivery_instruction="side door")
    window = {"window_start": "2026-06-11T14:00:00Z", "window_end": "2026-06-11T16:00:00Z"}
    yield step("admin", "update_time_window_by_refs", order_refs=["o1"], **window)
    yield step("admin", "hold_order", order_id="$o1")
    yield step("admin", "release_order", order_id="$o1")
    yield step("admin", "hold_orders", order_ids=["$o1", "$o2"], reason="The road is closed.")
    yield step("admin", "release_orders", order_ids=["$o1", "$o2"])
    yield step("admin", "set_redelivery_policy", max_attempts=4)
    yield step("admin", "reschedule_orders", order_ids=["$o1"], scheduled_date="2026-06-10")
    yield step("admin", "correct_order", order_id="$o1", consignee={"phone": "+14165550100"})
    yield step("admin", "reroute_to_address", order_id="$o6", address=ELSEWHERE)
    yield step("admin", "bulk_create_orders", orders=[{"consignee": THERE, "order_ref": "b1"}])
    later = [{"consignee": THERE, "order_ref": "later"}]
    yield step("admin", "bulk_create_orders_async", {"batch": "asyncId"}, orders=later)
    yield step("admin", "cancel_async_batch", id="$batch")
    yield step("admin", "import_orders", document=FILE)


def _contractors() -> Iterator[Step]:
    yield step("admin", "assign_orders_to_broker", order_ids=["$o5"], broker_id="$contractor")
    yield step("contractor", "accept_broker_order_assignments", order_ids=["$o5"])
    yield step("contractor", "decline_broker_order_assignments", order_ids=["$o5"])
    yield step("admin", "assign_orders_to_broker", order_ids=["$o5"], broker_id="$contractor")
    yield step("admin", "set_contractor_capacity", contractor_id="$contractor", orders_per_day=50)
    yield step("contractor", "create_driver", {"their": "driver.id"}, name="Mo")
    yield step("contractor", "invite_driver", driver_id="$their", email="mo@drivers.example")
    yield step("contractor", "create_driver_sign_in_link", {"link": "link.id"}, driver_id="$their")
    yield step("contractor", "revoke_driver_sign_in_link", driver_id="$their", link_id="$link")
    yield step("contractor", "disable_driver", driver_id="$their")
    yield step("contractor", "enable_driver", driver_id="$their")
    yield step("admin", "assign_orders_to_broker", order_ids=["$o5"], broker_id="$contractor")
    yield step("contractor", "release_broker_order_assignment", order_id="$o5")
    yield step("admin", "assign_orders_to_broker", order_ids=["$o5"], broker_id="$contractor")
    yield step("admin", "revoke_broker_order_assignments", order_ids=["$o5"])
    yield step("admin", "create_contractor_rule", {"rule": "rule.id"}, contractor_id="$contractor", name="North")
    yield step("admin", "update_contractor_rule", rule_id="$rule", name="South")
    yield step("admin", "delete_contractor_rule", rule_id="$rule")


def _make_plan() -> Iterator[Step]:
    yield step("admin", "create_vehicle", {"van": "vehicle.id"}, name="Van")
    yield step("admin", "update_vehicle", vehicle_id="$van", capacity_parcels=40)
    yield step("admin", "set_driver_working_profile", driver_id="$dan", vehicle_id="$van")
    yield step("admin", "build_route", {"build": "build.id"}, day="2026-06-10", iterations=1)
    yield step("admin", "cancel_route_build", build_id="$build")
    paper = {"vehicle_id": "$van", "kind": "insurance", "expires_on": "2027-06-10"}
    yield step("admin", "add_vehicle_document", {"policy": "vehicle_document.id"}, **paper, file=PHOTO)
    yield step("admin", "remove_vehicle_document", vehicle_document_id="$policy")
    yield step("admin", "add_vehicle_log_entry", {"read": "log_entry.id"}, vehicle_id="$van", odometer_m=84_000_000)
    yield step("admin", "remove_vehicle_log_entry", vehicle_id="$van", log_entry_id="$read")
    yield step("admin", "retire_vehicle", vehicle_id="$van")


def _make_route() -> Iterator[Step]:
    plan = {"day": "2026-06-10", "depot_id": "$depot", "name": "R"}
    yield step("admin", "create_route", {"spare_route": "route.id"}, **plan)
    yield step("admin", "cancel_route", route_id="$spare_route")
    yield step("admin", "create_route", {"route": "route.id"}, **plan)
    yield step("admin", "add_orders_to_route", route_id="$route", order_ids=["$o1", "$o2", "$o3", "$o4"])
    yield step("admin", "remove_orders_from_route", route_id="$route", order_ids=["$o4"])
    yield step("admin", "assign_route_driver", route_id="$route", driver_id="$dan")
    yield step("admin", "reorder_stops", route_id="$route", stop_ids="$stops")
    yield step("driver", "start_route", route_id="$route")
    yield step("driver", "arrive_at_stop", route_id="$route", stop_id="$stop1")
    yield step("admin", "deliver_stop", route_id="$route", stop_id="$stop1")
    fail = step("driver", "fail_stop", route_id="$route", stop_id="$stop2", reason="recipient_absent", outcome="return")
    yield from (fail, step("driver", "reopen_stop", route_id="$route", stop_id="$stop2", note="Called back"), fail)
    yield step("driver", "deliver_stop", route_id="$route", stop_id="$stop3")
    yield step("driver", "return_route_to_depot", route_id="$route")
    yield step("driver", "finish_route", route_id="$route")


def _routes_rearranged() -> Iterator[Step]:
    plan = {"day": "2026-06-10", "depot_id": "$depot", "published": False}
    yield from map(order, ("a1", "a2", "a3", "a4"))
    yield step("admin", "create_route", {"here": "route.id"}, **plan)
    yield step("admin", "create_route", {"there": "route.id"}, **plan)
    yield step("admin", "add_orders_to_route", {"a": "route.stops"}, route_id="$here", order_ids=["$a1", "$a2", "$a3"])
    yield step("admin", "add_orders_to_route", route_id="$there", order_ids=["$a4"])
    yield Step("admin", "lock_stops", lambda known: _first_stop(known, "here"))
    yield Step("admin", "unlock_stops", lambda known: _first_stop(known, "here"))
    yield Step("admin", "move_stops", lambda known: _first_stop(known, "there"))
    yield Step("admin", "split_route", lambda known: _first_stop(known, "there"), {"split": "routes"})
    yield Step("admin", "merge_routes", lambda known: {**_there(known), "route_ids": [known["split"][1]["id"]]})
    for operation in ("lock_route", "unlock_route", "publish_route", "unpublish_route"):
        yield step("admin", operation, route_id="$there")


def _first_stop(known: Known, route: str) -> dict[str, Any]:
    return {"route_id": known[route], "stop_ids": [known["a"][0]["id"]]}


def _there(known: Known) -> dict[str, Any]:
    return {"route_id": known["there"]}


def _the_route_board() -> Iterator[Step]:
    yield step("admin", "create_driver", {"eve": "driver.id"}, name="Eve", user_id="$driver2")
    yield step("admin", "set_board_driver_rule", driver_id="$eve", zones=["north"])
    yield step("admin", "post_route_to_board", route_id="$there", claims_per_day=9)
    yield step("admin", "update_board_terms", route_id="$there", claims_per_day=9, zones=[])
    yield step("driver2", "claim_route", route_id="$there")
    yield step("driver", "stand_by_for_route", route_id="$there")
    yield step("driver", "withdraw_from_route", route_id="$there")
    yield step("admin", "remove_route_from_board", route_id="$there")


def _agents() -> Iterator[Step]:
    back = {"redirect_uri": "http://127.0.0.1:1/back"}
    yield step("admin", "register_agent", {"agent": "client_id"}, redirect_uris=[back["redirect_uri"]])
    pkce = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
    wish = {"client_id": "$agent", "response_type": "code", **back, **pkce}
    yield step("admin", "grant_agent_access", {"code": "code"}, scopes=["orders:read"], **wish)
    proof = {"code": "$code", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", **back}
    yield step("admin", "exchange_agent_code", {"refresh": "refresh_token"}, client_id="$agent", **proof)
    asked = {"client_id": "$agent", "refresh_token": "$refresh"}
    yield step("admin", "refresh_agent_tokens", {"newest": "refresh_token"}, **asked)
    yield step("admin", "revoke_agent_token", client_id="$agent", token="$newest")


def _the_drivers_app() -> Iterator[Step]:
    plan = {"day": "2026-06-10", "depot_id": "$depot"}
    yield order("r1", pin_required=True)
    yield step("admin", "renew_delivery_pin", order_id="$r1")
    yield order("r2", cod_minor=2500)
    yield order("r3", customer_id="$customer")
    yield step("admin", "create_order", {"r4": "order.id"}, shipper=THERE, type="P", order_ref="r4")
    yield step("admin", "set_rider_policy", max_distance_m=5000)
    yield step("admin", "create_route", {"given": "route.id"}, **plan)
    yield step("admin", "add_orders_to_route", route_id="$given", order_ids=["$r1"])
    yield step("admin", "assign_route_driver", route_id="$given", driver_id="$dan")
    yield step("driver", "decline_route", route_id="$given", reason="ill")
    yield step("admin", "create_route", {"tour": "route.id"}, **plan)
    yield step("admin", "add_orders_to_route", {"at": "route.stops"}, route_id="$tour", order_ids=["$r2", "$r3", "$r4"])
    yield step("admin", "assign_route_driver", route_id="$tour", driver_id="$dan")
    yield step("driver", "accept_route", route_id="$tour")
    yield step("driver", "scan_on_route", route_id="$tour", code="r2")
    start = {"id": "device-1-start", "kind": "start", "occurred_at": "2026-06-10T13:00:00Z", "route_id": "$tour"}
    yield step("driver", "sync_rider_events", events=[start])
    yield step("driver", "push_positions", points=[{"occurred_at": "2026-06-10T13:30:00Z", "lat": 43.6, "lng": -79.3}])
    upload = {"upload_id": "photo-0001", "content": PHOTO["content"], "media_type": "image/png"}
    yield Step("driver", "upload_proof", lambda known: {"stop_id": known["at"][0]["id"], **upload})
    taken = {"cod": [{"method": "cash", "amount_minor": 1500}], "cod_reason": "Had no more."}
    proof = {"photos": ["photo-0001"], "position": {"lat": 43.65, "lng": -79.38}, **taken}
    yield Step("driver", "rider_deliver", lambda known: {**_at(known, 0), **proof})
    yield Step("driver", "rider_fail", lambda known: {**_at(known, 1), "reason": "recipient_absent"})
    elsewhere = {"address": "1 King St E", "city": "Toronto", "country": "CA"}
    yield step("customer", "correct_address", order_id="$r3", place=elsewhere)
    yield step("customer", "request_redelivery", order_id="$r3", scheduled_date="2026-06-12")
    yield step("customer", "return_order", order_id="$r3", reason="moved away")
    yield Step("driver", "rider_pick_up", lambda known: _at(known, 2))
    yield from pay_steps()
    yield step("admin", "hand_in_cash", driver_id="$dan", counted_minor=1400, reason="a coin is missing")
    part = {"order_id": "$r2", "amount_minor": 400}
    yield step("admin", "record_cod_payment", {"payment": "entry.id"}, method="other", **part)
    yield step("admin", "write_off_cod", reason="a discount", **part)
    yield step("admin", "reverse_cod_entry", entry_id="$payment", reason="typed twice")
    yield step("admin", "undo_delivery", order_id="$r2", reason="Pressed by mistake")
    yield order("r5")
    yield step("admin", "add_orders_to_route", route_id="$tour", order_ids=["$r5"])
    yield step("driver", "load_at_depot", route_id="$tour")
    yield step("admin", "create_driver", {"fay": "driver.id"}, name="Fay")
    yield step("admin", "hand_over_stops", {"rest": "routes"}, route_id="$tour", driver_id="$fay")
    yield Step("admin", "abort_route", lambda known: {"route_id": known["rest"][0]["id"], "reason": "weather"})
    yield Step("admin", "return_route_to_depot", lambda known: {"route_id": known["rest"][0]["id"]})
    yield step("admin", "update_goods_at", order_id="$r5", goods_at={"order_id": "$r2"}, reason="Swapped with r2")


def _at(known: Known, place: int) -> dict[str, Any]:
    return {"route_id": known["tour"], "stop_id": known["at"][place]["id"]}


def _orders_on_demand() -> Iterator[Step]:
    yield from map(order, ("i1", "i2"))
    yield step("driver", "set_duty", available=True, position={"lat": 43.6, "lng": -79.3})
    yield step("admin", "offer_order_to_riders", {"first": "job"}, order_id="$i1", depot_id="$depot")
    yield Step("driver", "decline_offer", lambda known: {"offer_id": known["first"]["offers"][0]["id"]})
    yield Step("admin", "withdraw_instant_job", lambda known: {"job_id": known["first"]["id"]})
    yield step("admin", "offer_order_to_riders", {"second": "job"}, order_id="$i2", depot_id="$depot")
    yield Step("driver", "accept_offer", lambda known: {"offer_id": known["second"]["offers"][0]["id"]})


def _approvals() -> Iterator[Step]:
    asked = {"tool": "hold_order", "arguments": {"order_id": "$o5"}}
    yield step("employee", "propose_write", {"refused": "approval.id"}, **asked)
    yield step("admin", "reject_pending_write", approval_id="$refused")
    yield step("employee", "propose_write", {"withdrawn": "approval.id"}, **asked)
    yield step("admin", "renew_pending_write", approval_id="$withdrawn")
    yield step("employee", "withdraw_pending_write", approval_id="$withdrawn")
    yield step("employee", "propose_write", {"approved": "approval.id"}, **asked)
    yield step("admin", "approve_pending_write", approval_id="$approved")
    noted = {"tool": "update_order_note", "arguments": {"order_id": "$o5", "note": "Call before."}}
    for decision, name in (("reject_pending_writes", "one"), ("approve_pending_writes", "other")):
        yield step("employee", "propose_write", {name: "approval.id"}, **noted)
        yield step("admin", decision, approval_ids=[f"${name}"])
    yield step("admin", "set_approval_policy", own_allowed=True)
    yield step("admin", "cancel_order", order_id="$o4")
    yield step("employee", "logout")


def taken(document: Any, path: str) -> Any:
    for part in path.split("."):
        document = document[int(part) if isinstance(document, list) else part]
    return document


async def learn(app: App, one: Step, known: Known) -> None:
    """Look up values that a step needs and that no write returned."""
    if one.operation == "reorder_stops":
        shown = (await app.answer("admin", "get_route_detail", {"route_id": known["route"]})).route.stops
        known["stops"] = [stop.id for stop in shown]
        known.update({f"stop{place}": stop.id for place, stop in enumerate(shown, start=1)})
    if one.operation == "resolve_chat_report":
        known["chat report"] = (await app.answer("admin", "list_chat_reports")).reports[0].id
