"""A driver's day: today's routes, acceptance, scans and proof of delivery."""

from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

import pytest
from tests.contexts.documents.makers import make_jpeg, make_png
from tests.contexts.driver_app.makers import DOOR_POSITION, make_policy, make_upload
from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, make_started_route, order_row, status_and_code

from haulier.kernel.data.unit_of_work import UnitOfWork

HELD, FAILED = 2, 7


async def make_assigned_route(app: App, count: int = 1, user: str = "driver") -> Any:
    """A route that waits for its driver's word."""
    driver_id = await make_driver(app, user=user, name=user)
    route_id = await make_route(app, order_ids=[await make_order(app) for _ in range(count)], driver_id=driver_id)
    return (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route


def first_stop_ids(route: Any, **words: Any) -> dict[str, Any]:
    return {"route_id": route.id, "stop_id": route.stops[0].id, **words}


async def test_a_driver_sees_their_own_routes_of_the_business_day_and_the_settings(app: App) -> None:
    mine = await make_assigned_route(app)
    await make_assigned_route(app, user="driver2")
    await make_policy(app, photo_required=True)
    app.clock.forward(hours=13)  # 03:00 UTC, still the 10th in Toronto
    day = await app.answer("driver", "get_rider_day")
    assert (str(day.day), day.driver_name, day.available) == ("2026-06-10", "driver", False)
    assert [(each.route.id, each.answer) for each in day.routes] == [(mine.id, None)]
    assert day.policy.photo_required
    assert status_and_code(await app.call("driver2", "get_rider_route", {"route_id": mine.id})) == (404, "NOT_FOUND")


async def test_an_account_without_a_driver_gets_an_explanation(app: App) -> None:
    assert status_and_code(await app.call("driver", "get_rider_day")) == (403, "NO_DRIVER_RECORD")


async def test_an_acceptance_is_recorded_once_with_the_drivers_time(app: App) -> None:
    route = await make_assigned_route(app)
    for moment in ("2026-06-10T13:00:00Z", "2026-06-10T13:30:00Z"):
        shown = await app.answer("driver", "accept_route", {"route_id": route.id, "occurred_at": moment})
    assert (shown.route.answer, shown.route.answered_at.isoformat()) == ("accepted", "2026-06-10T09:00:00-04:00")


async def test_a_declined_route_becomes_a_draft_and_its_orders_are_unassigned(app: App) -> None:
    route = await make_assigned_route(app)
    await app.answer("driver", "decline_route", {"route_id": route.id, "reason": "ill"})
    shown = (await app.answer("admin", "get_route_detail", {"route_id": route.id})).route
    assert (shown.status, shown.driver_id) == ("draft", None)
    assert (await order_row(app, route.stops[0].order_id)).driver_id is None
    assert (await app.answer("driver", "get_rider_day")).routes == []
    assert status_and_code(await app.call("driver", "decline_route", {"route_id": route.id})) == (404, "NOT_FOUND")


async def test_a_started_route_cannot_be_declined(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    assert status_and_code(await app.call("driver", "decline_route", {"route_id": route.id})) == (409, "ROUTE_CANNOT")


async def scan_code(app: App, route: Any, text: str, **words: Any) -> tuple[bool, str]:
    answer = await app.answer("driver", "scan_on_route", {"route_id": route.id, "code": text, **words})
    return answer.result, answer.scan.value


async def test_a_scan_shows_the_destination_of_a_parcel(app: App) -> None:
    route = await make_assigned_route(app, 2)
    elsewhere = await make_assigned_route(app, user="driver2")
    loose = (await order_row(app, await make_order(app))).tracking_number
    first, second = route.stops
    assert await scan_code(app, route, first.tracking_number) == (True, "matched")
    assert await scan_code(app, route, first.tracking_number) == (True, "already_scanned")
    assert await scan_code(app, route, first.tracking_number, stop_id=first.id) == (True, "matched")
    assert await scan_code(app, route, second.tracking_number, stop_id=first.id) == (False, "other_stop")
    assert await scan_code(app, route, elsewhere.stops[0].tracking_number) == (False, "other_route")
    assert await scan_code(app, route, loose) == (False, "not_on_a_route")
    assert await scan_code(app, route, "nothing-of-ours") == (False, "unknown")
    shown = (await app.answer("driver", "get_rider_route", {"route_id": route.id})).route
    assert [(each.order_id, each.stop_id) for each in shown.scanned] == [
        (first.order_id, None),
        (first.order_id, first.id),
    ]


async def test_a_repeated_scan_is_recorded_once(app: App) -> None:
    route = await make_assigned_route(app)
    when = {"occurred_at": "2026-06-10T12:00:00Z"}
    for _ in range(2):
        assert await scan_code(app, route, route.stops[0].tracking_number, **when) == (True, "matched")
    assert len((await app.answer("driver", "get_rider_route", {"route_id": route.id})).route.scanned) == 1


async def test_a_scan_reveals_nothing_about_another_route(app: App) -> None:
    route = await make_assigned_route(app)
    elsewhere = await make_assigned_route(app, user="driver2")
    text = elsewhere.stops[0].tracking_number
    answer = await app.answer("driver", "scan_on_route", {"route_id": route.id, "code": text})
    assert (answer.order_id, answer.stop_id) == (None, None)


async def test_a_delivery_includes_its_proof_and_the_distance_from_the_stop(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    for name in ("photo-0001", "signature-1"):
        await make_upload(app, route.stops[0].id, name)
    north = {"lat": DOOR_POSITION["lat"] + 0.001, "lng": DOOR_POSITION["lng"]}
    proof = {"recipient": "Ada", "photos": ["photo-0001"], "signature": "signature-1", "code": "4711"}
    stop = (await app.answer("driver", "rider_deliver", first_stop_ids(route, position=north, **proof))).stop
    assert (stop.status, stop.ended_distance_m, stop.proof.code) == ("completed", 111, "4711")
    assert stop.proof.signature_url
    assert len(stop.proof.photo_urls) == 1
    told = await app.answer("admin", "otep_client_tracking", {"tracking_number": stop.tracking_number})
    (delivered,) = [each for each in told.trackings[0].data.events if each.status_code == "delivered"]
    assert delivered.extensions == {"geofence": {"distance_m": 111}}
    assert delivered.pod.photo_urls == tuple(stop.proof.photo_urls)
    public = await app.answer(None, "otep_timeline", {"tracking_number": stop.tracking_number})
    assert [each.extensions or None for each in public.data.events] == [None] * len(public.data.events)


async def test_a_proof_can_be_opened_only_by_users_with_access_to_the_route(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    file_id = (await make_upload(app, route.stops[0].id)).file_id
    await make_driver(app, user="driver2")
    for who, status in (("driver", 200), ("admin", 200), ("driver2", 404), ("rival", 404)):
        assert (await app.call(who, "get_file", {"file_id": file_id})).status == status


async def test_a_photo_is_stored_without_metadata_and_with_the_digest_of_the_original(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    photo = make_jpeg()[:2] + b"\xff\xfe\x00\x0aLat 43.6" + make_jpeg()[2:]
    upload = {"content": b64encode(photo).decode(), "media_type": "image/jpeg", "upload_id": "photo-0001"}
    first, again = [
        await app.answer("driver", "upload_proof", {**upload, "stop_id": route.stops[0].id}) for _ in range(2)
    ]
    assert (first.duplicate, again.duplicate, again.file_id) == (False, True, first.file_id)
    stored = await app.answer("admin", "get_file", {"file_id": first.file_id})
    assert b"Lat 43.6" not in b64decode(stored.content)
    assert stored.file.original_sha256 == sha256(photo).hexdigest()
    assert stored.file.sha256 == sha256(b64decode(stored.content)).hexdigest()


async def test_reusing_an_upload_id_for_another_picture_or_stop_is_refused(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    upload = await make_upload(app, route.stops[0].id)
    other = {"content": b64encode(make_png(2, 1)).decode(), "media_type": "image/png", "upload_id": "photo-0001"}
    refused = await app.call("driver", "upload_proof", {**other, "stop_id": route.stops[0].id})
    assert status_and_code(refused) == (409, "UPLOAD_ID_TAKEN")
    assert refused.error
    assert [(each["field"], each["code"]) for each in refused.error["errors"]] == [("content", "UPLOAD_OF_OTHER_FILE")]
    assert (await make_upload(app, route.stops[0].id)).file_id == upload.file_id


async def test_an_upload_is_stored_once_and_only_for_the_drivers_own_stop(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    first, again = [await make_upload(app, route.stops[0].id) for _ in range(2)]
    assert (first.duplicate, again.duplicate, first.file_id) == (False, True, again.file_id)
    await make_driver(app, user="driver2")
    with pytest.raises(AssertionError, match="NOT_FOUND"):
        await make_upload(app, route.stops[0].id, who="driver2")


async def test_a_missing_photo_is_requested(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    outcome = await app.call("driver", "rider_deliver", first_stop_ids(route, photos=["photo-0001"]))
    assert status_and_code(outcome) == (409, "UPLOAD_MISSING")


async def test_all_missing_proof_is_reported_together(app: App) -> None:
    await make_policy(app, photo_required=True, signature_required=True, recipient_required=True, max_distance_m=200)
    route = await make_started_route(app, [await make_order(app)])
    outcome = await app.call("driver", "rider_deliver", first_stop_ids(route))
    assert status_and_code(outcome) == (422, "PROOF_INCOMPLETE")
    assert outcome.error
    assert [fault["field"] for fault in outcome.error["errors"]] == [
        "photos",
        "signature",
        "recipient",
        "position",
    ]


async def test_only_a_limit_set_by_the_client_makes_a_delivery_too_far_away(app: App) -> None:
    route = await make_started_route(app, [await make_order(app), await make_order(app)])
    far = {"lat": DOOR_POSITION["lat"] + 0.01, "lng": DOOR_POSITION["lng"]}
    assert (
        await app.answer("driver", "rider_deliver", first_stop_ids(route, position=far))
    ).stop.ended_distance_m == 1112
    await make_policy(app, max_distance_m=500)
    again = first_stop_ids(route, position=far)
    assert (await app.answer("driver", "rider_deliver", again)).stop.status == "completed"
    other = {"route_id": route.id, "stop_id": route.stops[1].id, "position": far}
    assert status_and_code(await app.call("driver", "rider_deliver", other)) == (409, "TOO_FAR_FROM_STOP")


async def make_reason(app: App, **words: Any) -> None:
    await app.answer("admin", "add_return_reason", {"code": "dog", "texts": {"en": "Dog"}, **words})


async def test_a_configured_reason_defines_its_public_text_and_the_next_step(app: App) -> None:
    await make_reason(app, otep_reason="access_denied", asks_note=True, next_step="return")
    route = await make_started_route(app, [await make_order(app)])
    assert status_and_code(await app.call("driver", "rider_fail", first_stop_ids(route, reason="dog"))) == (
        422,
        "PROOF_INCOMPLETE",
    )
    stop = (await app.answer("driver", "rider_fail", first_stop_ids(route, reason="dog", note="big"))).stop
    assert (stop.reason, stop.return_reason, stop.outcome) == ("access_denied", "dog", "return")


async def test_a_reason_can_put_the_order_on_hold(app: App) -> None:
    await make_reason(app, next_step="hold")
    route = await make_started_route(app, [await make_order(app)])
    for _ in range(2):
        stop = (await app.answer("driver", "rider_fail", first_stop_ids(route, reason="dog"))).stop
    assert (stop.status, (await order_row(app, stop.order_id)).status) == ("failed", HELD)
    await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    await app.answer("driver", "finish_route", {"route_id": route.id})
    assert (await app.answer("admin", "planning_pool")).orders == []


async def test_a_reason_known_only_to_tracking_leads_to_another_attempt(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    stop = (await app.answer("driver", "rider_fail", first_stop_ids(route, reason="recipient_absent"))).stop
    assert (stop.reason, stop.return_reason, stop.outcome) == ("recipient_absent", None, "retry")
    assert (await order_row(app, stop.order_id)).status == FAILED


@pytest.mark.parametrize("operation", ["rider_fail", "fail_stop"])
async def test_an_unknown_reason_is_refused(app: App, operation: str) -> None:
    route = await make_started_route(app, [await make_order(app)])
    words = {"outcome": "retry"} if operation == "fail_stop" else {}
    outcome = await app.call("driver", operation, first_stop_ids(route, reason="nonsense", **words))
    assert outcome.error
    assert [each["field"] for each in outcome.error["errors"]] == ["reason"]
    assert (await app.answer("driver", "get_route_detail", {"route_id": route.id})).route.stops[0].status == "planned"


async def test_a_reason_removed_while_a_device_was_offline_is_accepted(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    late = first_stop_ids(route, reason="dog", occurred_at=app.clock.now)
    app.clock.forward(hours=1)
    stop = (await app.answer("driver", "rider_fail", late)).stop
    assert (stop.status, stop.reason, stop.return_reason) == ("failed", "other", "dog")


async def test_the_audit_trail_contains_no_pictures(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    await make_upload(app, route.stops[0].id)
    async with app.database.read(None) as work:
        assert "content" not in await last_request(work, "upload_proof")


async def last_request(work: UnitOfWork, operation: str) -> dict[str, Any]:
    from sqlalchemy import select

    from haulier.kernel.pipeline.audit import audit_entries

    rows = await work.all(
        select(audit_entries.c.request).where(audit_entries.c.operation == operation).order_by(audit_entries.c.id)
    )
    return rows[-1].request
