"""Personal data is exported and erased; the timeline stays."""

import json
from base64 import b64decode
from typing import Any

import pytest
from sqlalchemy import delete, select
from tests.contexts.control_tower.personal_data.makers import (
    CONSIGNEE,
    TRACES,
    erased,
    make_delivery_to_quill,
    make_order_of_quill,
    traces_of,
)
from tests.support.app import App
from tests.support.tables import rows, rows_of
from tests.support.transport import make_order, make_route, order_row, set_order, status_and_code

from haulier.contexts.control_tower.personal_data import jobs
from haulier.kernel.background.job_table import job_table
from haulier.kernel.pipeline.audit import audit_entries

EMAIL, PHONE = "quill@ravenscroft.example", "+1 416 555 0177"


async def timeline(app: App, order_id: int) -> list[tuple[str, Any]]:
    number = (await order_row(app, order_id)).tracking_number
    told = await app.answer(None, "otep_timeline", {"tracking_number": number})
    return [(event.status_code, event.occurred_at) for event in told.data.events]


async def test_no_consignee_data_is_left_and_timeline_ids_and_amounts_stay(app: App) -> None:
    await app.answer("admin", "set_rate_card", {"rate_card": RATE_CARD})
    order_id, file_id, _ = await make_delivery_to_quill(app)
    kept = await timeline(app, order_id), (await order_row(app, order_id)).price
    assert await traces_of(app, TRACES) != {}
    done = await erased(app, email=EMAIL)
    assert (done.state, {one.kind for one in done.records}) == ("done", {"order_contacts", "proofs", "audit_trail"})
    assert await traces_of(app, TRACES) == {}
    row = await order_row(app, order_id)
    assert (await timeline(app, order_id), row.price) == kept
    assert row.consignee == {
        "name": "[erased]",
        "address": "[erased]",
        "city": "Toronto",
        "region": None,
        "postal_code": "M5V 2T6",
        "country": "CA",
    }
    assert (await app.call("admin", "get_file", {"file_id": file_id})).status == 404
    shown = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (shown.status, shown.consignee.name) == ("DELIVERED", "[erased]")


async def test_a_phone_number_finds_the_same_orders_in_any_format(app: App) -> None:
    order_id, *_ = await make_delivery_to_quill(app)
    await erased(app, phone=PHONE)
    assert (await order_row(app, order_id)).consignee["name"] == "[erased]"


async def test_a_dry_run_counts_the_data_to_erase_and_changes_nothing(app: App) -> None:
    await make_delivery_to_quill(app)
    before = await rows(app)
    previewed = await app.answer("admin", "erase_personal_data", {"email": EMAIL}, dry_run=True)
    assert await rows(app) == before
    done = await erased(app, email=EMAIL)
    assert [(one.kind, one.count) for one in previewed.to_erase] == [(one.kind, one.count) for one in done.records]


async def test_a_repeated_erasure_finds_nothing(app: App) -> None:
    await make_delivery_to_quill(app)
    await erased(app, email=EMAIL)
    again = await app.answer("admin", "erase_personal_data", {"email": EMAIL})
    assert again.to_erase == []
    await app.work_off()
    done = (await app.answer("admin", "get_personal_data_request", {"request_id": again.request.id})).request
    assert (done.state, done.records) == ("done", [])


async def test_an_erasure_is_refused_while_an_order_or_route_is_in_progress(app: App) -> None:
    order_id = await make_order_of_quill(app)
    refused = await app.call("admin", "erase_personal_data", {"email": EMAIL})
    assert status_and_code(refused) == (409, "PERSON_IN_USE")
    assert f"order_contacts {order_id}" in refused.error["message"]
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    assert (await erased(app, email=EMAIL)).state == "done"


async def test_an_erasure_requires_a_confirmation(app: App) -> None:
    refused = await app.call("admin", "erase_personal_data", {"email": EMAIL}, confirmed=False)
    assert refused.error
    assert refused.error["code"] == "CONFIRM_REQUIRED"


async def test_the_audit_trail_records_the_erasure_without_naming_the_person(app: App) -> None:
    for operation in ("export_personal_data", "erase_personal_data"):
        await app.answer("admin", operation, {"email": EMAIL, "phone": PHONE})
    await app.work_off()
    entries = (await app.answer("admin", "list_audit_entries", {"subject_kind": "personal_data_request"})).entries
    assert [(one.operation, one.request) for one in entries] == [
        ("erase_personal_data", {}),
        ("export_personal_data", {}),
    ]
    assert await traces_of(app, [EMAIL, "5550177"]) == {}


async def test_an_erased_user_is_signed_out_and_cannot_sign_in(app: App) -> None:
    who = {"email": "eve@demo.example", "password": "correct horse battery"}
    user = (await app.answer("admin", "create_user", {"name": "Eve Wren", "account": "employee", **who})).user
    app.tokens["eve"] = (await app.answer(None, "login", who)).access_token
    await app.answer("admin", "request_password_reset", {"email": who["email"]})
    await app.work_off()
    await app.answer("admin", "erase_personal_data", {"user_id": user.id})
    assert (await app.call("eve", "who_am_i")).status == 401  # at once, before any job ran
    await app.work_off()
    assert status_and_code(await app.call(None, "login", who)) == (401, "INVALID_CREDENTIALS")
    assert await traces_of(app, ["eve@demo.example", "Eve Wren"]) == {}
    shown = (await app.answer("admin", "get_user", {"user_id": user.id})).user
    assert (shown.name, shown.active) == ("[erased]", False)
    again = await app.answer("admin", "create_user", {"name": "Eve", "account": "employee", **who})
    assert again.user.id != user.id


async def test_the_last_admin_cannot_be_erased(app: App) -> None:
    refused = await app.call("admin", "erase_personal_data", {"user_id": app.ids["admin"]})
    assert status_and_code(refused) == (409, "LAST_ADMIN")


async def test_an_erased_driver_is_removed_from_routes_and_positions(app: App) -> None:
    _, _, driver_id = await make_delivery_to_quill(app)
    done = await erased(app, user_id=app.ids["driver"])
    assert {"drivers", "driver_positions", "users"} <= {one.kind for one in done.records}
    left = await rows_of(app, "demo")
    assert (left["driver_position"], left["driver_point"]) == ([], [])
    assert len(left["route"]) == 1
    assert await traces_of(app, ["Dan Drives", "5550188", "driver@demo.example"]) == {}
    driver = (await app.answer("admin", "get_driver", {"driver_id": driver_id})).driver
    assert (driver.name, driver.phone) == ("[erased]", None)


async def test_an_email_address_erases_no_account_but_names_it(app: App) -> None:
    contact = {**CONSIGNEE, "email": "customer@demo.example"}
    order_id = await make_order(app, consignee=contact)
    await set_order(app, order_id, status=6)
    answer = await app.answer("admin", "erase_personal_data", {"email": "customer@demo.example"})
    assert answer.accounts_left == [app.ids["customer"]]
    await app.work_off()
    assert (await app.call("customer", "who_am_i")).status == 200
    assert (await order_row(app, order_id)).consignee["name"] == "[erased]"


async def test_only_the_persons_end_of_an_order_is_erased(app: App) -> None:
    order_id = await make_order(app, type="P2P", consignee=CONSIGNEE)
    await set_order(app, order_id, status=6)
    await erased(app, email=EMAIL)
    row = await order_row(app, order_id)
    assert (row.shipper["name"], row.consignee["name"]) == ("Ada Lovelace", "[erased]")
    assert "ada lovelace" in row.search


async def test_an_export_contains_all_stored_data_and_expires(app: App) -> None:
    order_id, file_id, _ = await make_delivery_to_quill(app)
    asked = (await app.answer("admin", "export_personal_data", {"email": EMAIL})).request
    assert (asked.state, asked.file_id) == ("queued", None)
    await app.work_off()
    request = (await app.answer("admin", "get_personal_data_request", {"request_id": asked.id})).request
    file = await app.answer("admin", "get_file", {"file_id": request.file_id})
    held = json.loads(b64decode(file.content))["records"]
    (order,) = held["order_contacts"]["delivery_order"]
    assert (file.media_type, order["id"], order["consignee"]["name"]) == (
        "application/json",
        order_id,
        CONSIGNEE["name"],
    )
    assert [one["id"] for one in held["proofs"]["stored_file"]] == [file_id]
    app.clock.forward(days=7, seconds=1)
    await app.work_off()
    over = (await app.answer("admin", "get_personal_data_request", {"request_id": asked.id})).request
    assert (over.state, over.file_id) == ("expired", None)
    assert (await app.call("admin", "get_file", {"file_id": request.file_id})).status == 404


async def test_an_export_of_a_user_contains_no_secrets(app: App) -> None:
    asked = (await app.answer("admin", "export_personal_data", {"user_id": app.ids["employee"]})).request
    await app.work_off()
    request = (await app.answer("admin", "get_personal_data_request", {"request_id": asked.id})).request
    text = b64decode((await app.answer("admin", "get_file", {"file_id": request.file_id})).content).decode()
    assert "employee@demo.example" in text
    assert [word for word in ("password_hash", "sha256", "search", "client_id") if word in text] == []


async def test_an_export_can_be_opened_only_by_admins_with_full_access(app: App) -> None:
    asked = (await app.answer("admin", "export_personal_data", {"email": EMAIL})).request
    await app.work_off()
    request = (await app.answer("admin", "get_personal_data_request", {"request_id": asked.id})).request
    weak = {"name": "weak", "scopes": ["account:read", "account:write"], "expires_in_days": 1}
    app.tokens["weak"] = (await app.answer("admin", "issue_api_token", weak)).access_token
    for who in ("employee", "driver", "customer", "rival", "weak"):
        assert (await app.call(who, "get_file", {"file_id": request.file_id})).status == 404, who


async def test_an_erasure_deletes_earlier_exports_of_the_same_user(app: App) -> None:
    asked = (await app.answer("admin", "export_personal_data", {"user_id": app.ids["employee"]})).request
    await app.work_off()
    await erased(app, user_id=app.ids["employee"])
    over = (await app.answer("admin", "get_personal_data_request", {"request_id": asked.id})).request
    assert (over.state, over.file_id) == ("expired", None)


async def test_a_selector_must_match_someone_of_this_business(app: App) -> None:
    for values, status, code in (
        ({}, 422, "INVALID_REQUEST"),
        ({"user_id": app.ids["rival"]}, 404, "NOT_FOUND"),
        ({"driver_id": 999}, 404, "NOT_FOUND"),
    ):
        assert status_and_code(await app.call("admin", "export_personal_data", values)) == (status, code), values


async def test_other_businesses_lose_no_data(app: App) -> None:
    theirs = await make_order(app, who="rival", consignee=CONSIGNEE)
    before = await rows_of(app, "rival")
    await make_delivery_to_quill(app)
    await erased(app, email=EMAIL, phone=PHONE)
    assert await rows_of(app, "rival") == before
    async with app.database.read(None) as work:
        entries = await work.all(select(audit_entries).where(audit_entries.c.owner_client_id == app.clients["rival"]))
    assert [entry.request["consignee"]["name"] for entry in entries if entry.operation == "create_order"] == [
        CONSIGNEE["name"]
    ]
    assert theirs


async def test_an_interrupted_erasure_resumes(app: App) -> None:
    """The job may run twice: what the first run erased is not counted again."""
    await make_delivery_to_quill(app)
    answer = await app.answer("admin", "erase_personal_data", {"email": EMAIL})
    from haulier.contexts.control_tower.personal_data.jobs import HandlePersonalData, erase_person
    from haulier.kernel.job_run import JobRun

    run = JobRun(app.application, app.clients["demo"], 1, 1)
    await erase_person.handler(run, HandlePersonalData(request_id=answer.request.id))
    once = (await app.answer("admin", "get_personal_data_request", {"request_id": answer.request.id})).request
    await app.work_off()
    assert (await app.answer("admin", "get_personal_data_request", {"request_id": answer.request.id})).request == once


RATE_CARD = {
    "zones": [{"code": "local", "up_to_m": 500_000, "base": 799}],
    "services": [{"code": "standard", "name": "Standard", "percent": 100}],
}


async def test_an_abandoned_export_is_reported_and_can_be_repeated(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full_disk(*_: Any, **__: Any) -> int:
        raise OSError("no room left")

    await make_order_of_quill(app)
    asked = (await app.answer("admin", "export_personal_data", {"email": EMAIL})).request
    with monkeypatch.context() as broken:
        broken.setattr(jobs, "save_export", full_disk)
        for _ in range(jobs.EXPORT_ATTEMPTS):
            await app.work_off()
            app.clock.forward(minutes=5)
    named = {"request_id": asked.id}
    assert (await app.answer("admin", "get_personal_data_request", named)).request.state == "failed"
    rehearsed = (await app.answer("admin", "repeat_personal_data_request", named, dry_run=True)).request
    assert rehearsed.state == "queued"
    assert (await app.answer("admin", "repeat_personal_data_request", named)).request.state == "queued"
    await app.work_off()
    done = (await app.answer("admin", "get_personal_data_request", named)).request
    assert (done.state, done.file_id is not None) == ("done", True)


async def test_a_stalled_erasure_is_reported_as_failed_and_resumes(app: App) -> None:
    order_id, *_ = await make_delivery_to_quill(app)
    asked = (await app.answer("admin", "erase_personal_data", {"email": EMAIL})).request
    async with app.database.write(None) as work:
        await work.run(delete(job_table).where(job_table.c.kind == jobs.ERASE_JOB))
    app.clock.forward(hours=25)
    named = {"request_id": asked.id}
    assert (await app.answer("admin", "get_personal_data_request", named)).request.state == "failed"
    await app.answer("admin", "repeat_personal_data_request", named)
    await app.work_off()
    assert (await order_row(app, order_id)).consignee["name"] == "[erased]"


async def test_the_audit_trail_contains_no_addresses_of_anonymous_callers(app: App) -> None:
    await app.answer(None, "request_password_reset", {"email": "Nobody@ravenscroft.example"})
    left = await traces_of(app, ["obody@ravenscroft.example"])
    assert left.keys() == {"job"}, "the letter itself waits there until it is sent"


async def goods_at_quills(app: App) -> tuple[int, int]:
    """Deliver an order at the address of another one; the ids of both."""
    theirs, _, driver_id = await make_delivery_to_quill(app)
    order_id = await make_order(app)
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id)
    stop = (await app.answer("driver", "start_route", {"route_id": route_id})).route.stops[0]
    await app.answer("driver", "deliver_stop", {"route_id": route_id, "stop_id": stop.id})
    await app.answer("driver", "finish_route", {"route_id": route_id})
    undo = {"order_id": order_id, "reason": "Delivered to the wrong address", "goods_at": {"order_id": theirs}}
    await app.answer("admin", "undo_delivery", undo)
    return order_id, theirs


async def test_the_location_of_misdelivered_goods_is_erased_with_its_person(app: App) -> None:
    order_id, theirs = await goods_at_quills(app)
    before = await order_row(app, order_id)
    assert (await erased(app, email=EMAIL)).state == "done"
    assert await traces_of(app, TRACES) == {}
    row = await order_row(app, order_id)
    assert (row.consignee, row.status) == (before.consignee, before.status)
    place = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.goods_at
    assert (place.order_id, place.name, place.phone, place.lat) == (theirs, "[erased]", None, None)
    assert place.city == "Toronto"


async def test_an_export_shows_the_location_of_goods_without_their_order(app: App) -> None:
    order_id, _ = await goods_at_quills(app)
    asked = (await app.answer("admin", "export_personal_data", {"email": EMAIL})).request
    await app.work_off()
    request = (await app.answer("admin", "get_personal_data_request", {"request_id": asked.id})).request
    file = await app.answer("admin", "get_file", {"file_id": request.file_id})
    held = json.loads(b64decode(file.content))["records"]["order_contacts"]["delivery_order"]
    (shown,) = [one for one in held if one["id"] == order_id]
    assert (shown.keys(), shown["goods_at"]["name"]) == ({"id", "goods_at"}, CONSIGNEE["name"])
