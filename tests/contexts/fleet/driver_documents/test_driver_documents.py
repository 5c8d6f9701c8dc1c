"""Driver documents: upload, review, list, removal and expiry."""

from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.documents.makers import JPEG, PDF, FakeObjectStore, make_file
from tests.contexts.fleet.makers import SOON, YEAR_ON, YESTERDAY, document_status_of, make_driver, make_driver_document
from tests.support.app import App
from tests.support.transport import make_order, make_route

from haulier.contexts.documents.ports import ObjectStore
from haulier.contexts.fleet.events import DriverDocumentExpiring
from haulier.kernel.background.events import Subscriber
from haulier.kernel.background.registry import BackgroundRegistry
from haulier.kernel.call import Call
from haulier.kernel.pipeline.audit import audit_entries


async def code(app: App, who: str | None, operation: str, values: dict[str, Any]) -> str | None:
    outcome = await app.call(who, operation, values)
    return outcome.error and outcome.error["code"]


async def listed(app: App, who: str = "admin", **filters: Any) -> list[int]:
    return [each.id for each in (await app.answer(who, "list_driver_documents", filters)).documents]


def news(app: App) -> list[tuple[int, bool]]:
    """Collect announcements of expiring documents.

    Which one, and whether it has expired.
    """
    heard: list[tuple[int, bool]] = []

    async def hear(_: Call, event: DriverDocumentExpiring) -> None:
        heard.append((event.document_id, event.expired))

    background = app.application.background
    listening = [*background.subscribers.values(), Subscriber("a test", DriverDocumentExpiring, hear)]
    app.application.background = BackgroundRegistry(background.job_types.values(), listening)
    return heard


async def test_a_drivers_upload_waits_for_review_and_an_office_upload_is_accepted(app: App) -> None:
    driver_id = await make_driver(app)
    mine = await make_driver_document(app, driver_id, who="driver")
    theirs = await make_driver_document(app, driver_id, kind="insurance")
    assert (mine.state, mine.reviewed_by, mine.uploaded_by) == ("pending", None, app.ids["driver"])
    assert (theirs.state, theirs.reviewed_by) == ("valid", app.ids["admin"])
    assert (mine.file.media_type, mine.days_left) == ("image/jpeg", 365)
    assert 0 < mine.file.size_bytes < len(JPEG), "stored without its metadata"


async def test_a_document_can_be_reviewed_and_corrected_and_the_driver_is_notified(app: App) -> None:
    driver_id = await make_driver(app)
    paper = await make_driver_document(app, driver_id, who="driver")
    said = {"document_id": paper.id, "verdict": "valid", "number": "D-2", "expires_on": SOON}
    seen = (await app.answer("employee", "review_driver_document", said)).document
    assert (seen.state, seen.number, str(seen.expires_on), seen.days_left) == ("valid", "D-2", SOON, 10)
    assert await document_status_of(app, driver_id) == "expires_soon"
    back = {"document_id": paper.id, "verdict": "rejected", "reason": "blurred"}
    assert (await app.answer("admin", "review_driver_document", back)).document.reason == "blurred"
    assert await document_status_of(app, driver_id, who="driver") == "rejected"


async def test_an_expired_document_cannot_be_accepted(app: App) -> None:
    driver_id = await make_driver(app)
    expired = {"driver_id": driver_id, "kind": "licence", "expires_on": YESTERDAY}
    assert await code(app, "admin", "add_driver_document", expired) == "DRIVER_DOCUMENT_OVER"
    paper = await make_driver_document(app, driver_id, who="driver", expires_on=YESTERDAY)
    verdict = {"document_id": paper.id, "verdict": "valid"}
    assert await code(app, "admin", "review_driver_document", verdict) == "DRIVER_DOCUMENT_OVER"
    assert await code(app, "admin", "review_driver_document", {**verdict, "expires_on": YEAR_ON}) is None


async def test_drivers_see_their_own_documents_and_contractors_those_of_their_drivers(app: App) -> None:
    mine = await make_driver_document(app, await make_driver(app))
    theirs = await make_driver_document(app, await make_driver(app, login=None, contractor_id=app.ids["contractor"]))
    everyone = {"admin", "driver", "driver2", "contractor", "contractor2", "rival"}
    for paper, seen_by in ((mine, {"admin", "driver"}), (theirs, {"admin", "contractor"})):
        for who in everyone:
            expected = None if who in seen_by else "NOT_FOUND"
            assert await code(app, who, "get_driver_document", {"document_id": paper.id}) == expected
            assert await code(app, who, "get_file", {"file_id": paper.file.id}) == expected
            assert (paper.id in await listed(app, who)) == (who in seen_by)
    assert await code(app, "customer", "get_file", {"file_id": mine.file.id}) == "NOT_FOUND"


async def test_users_cannot_upload_documents_for_a_foreign_driver(app: App) -> None:
    driver_id = await make_driver(app)
    for who in ("driver2", "contractor", "rival"):
        asked = {"driver_id": driver_id, "kind": "licence"}
        assert await code(app, who, "add_driver_document", asked) == "NOT_FOUND"


async def test_a_driver_cannot_review_and_can_delete_only_unreviewed_documents(app: App) -> None:
    driver_id = await make_driver(app)
    paper = await make_driver_document(app, driver_id, who="driver")
    other = await make_driver_document(app, driver_id, who="driver")
    verdict = {"document_id": paper.id, "verdict": "valid"}
    assert await code(app, "driver", "review_driver_document", verdict) == "ACCOUNT_NOT_ALLOWED"
    await app.answer("admin", "review_driver_document", verdict)
    assert await code(app, "driver", "remove_driver_document", {"document_id": paper.id}) == "DRIVER_DOCUMENT_REVIEWED"
    assert await code(app, "driver", "remove_driver_document", {"document_id": other.id}) is None
    assert await listed(app) == [paper.id]


async def test_deleting_a_document_deletes_its_file_from_the_store(app: App) -> None:
    shelf = FakeObjectStore()
    app.application.adapters = {**app.application.adapters, ObjectStore: shelf}
    paper = await make_driver_document(app, await make_driver(app))
    await app.work_off()
    (stored,) = shelf.objects.values()
    assert stored.startswith(JPEG[:2])
    await app.answer("admin", "remove_driver_document", {"document_id": paper.id})
    await app.work_off()
    assert shelf.objects == {}
    assert await code(app, "admin", "get_file", {"file_id": paper.file.id}) == "NOT_FOUND"


async def test_documents_can_be_filtered_by_status_and_expiry(app: App) -> None:
    driver_id = await make_driver(app)
    soon = await make_driver_document(app, driver_id, expires_on=SOON)
    year = await make_driver_document(app, driver_id, kind="insurance")
    endless = await make_driver_document(app, driver_id, kind="identity", expires_on=None, file=None)
    waiting = await make_driver_document(app, driver_id, who="driver", kind="medical")
    assert await listed(app) == [soon.id, year.id, waiting.id, endless.id]
    assert await listed(app, state="valid") == [soon.id, year.id, endless.id]
    assert await listed(app, state="pending") == [waiting.id]
    assert await listed(app, expires_within_days=10) == [soon.id]
    assert await listed(app, expires_within_days=9) == []
    assert await listed(app, kind="insurance", driver_id=driver_id) == [year.id]
    app.clock.forward(days=11)
    assert (await listed(app, state="expired"), await listed(app, expires_within_days=10)) == ([soon.id], [])


async def test_a_renewed_document_is_not_listed_as_expiring(app: App) -> None:
    driver_id = await make_driver(app)
    old = await make_driver_document(app, driver_id, expires_on=SOON)
    assert await listed(app, expires_within_days=30) == [old.id]
    await make_driver_document(app, driver_id)
    assert await listed(app, expires_within_days=30) == []
    assert await document_status_of(app, driver_id) == "valid"


async def test_listing_documents_uses_a_constant_number_of_statements(app: App) -> None:
    driver_id = await make_driver(app)
    counts = []
    for _ in range(2):
        await make_driver_document(app, driver_id)
        before = app.statements
        await listed(app)
        counts.append(app.statements - before)
    assert counts[0] == counts[1]


async def test_an_expiry_is_announced_once_before_and_once_after(app: App) -> None:
    await app.answer("admin", "set_driver_policy", {"notice_days": 5})
    paper = await make_driver_document(app, await make_driver(app), expires_on=SOON)
    told, by_day = news(app), []
    for _ in range(14):
        await app.work_off()
        by_day.append(len(told))
        app.clock.forward(days=1)
    assert told == [(paper.id, False), (paper.id, True)]
    assert by_day.index(1) == 5, "15 June, five days before the 20th"
    assert by_day.index(2) == 11, "21 June, the day after"


@pytest.mark.parametrize("meanwhile", ["renewed", "rejected", "removed", "moved"])
async def test_superseded_documents_are_not_announced(app: App, meanwhile: str) -> None:
    driver_id = await make_driver(app)
    paper = await make_driver_document(app, driver_id, expires_on="2026-08-10")
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "renewed": ("add_driver_document", {"driver_id": driver_id, "kind": "licence", "expires_on": "2028-01-01"}),
        "rejected": ("review_driver_document", {"document_id": paper.id, "verdict": "rejected"}),
        "removed": ("remove_driver_document", {"document_id": paper.id}),
        "moved": ("review_driver_document", {"document_id": paper.id, "verdict": "valid", "expires_on": "2029-01-01"}),
    }
    told = news(app)
    await app.answer("admin", *asked[meanwhile])
    for _ in range(13):
        app.clock.forward(days=7)
        await app.work_off()
    assert told == []


async def test_a_route_requires_documents_only_where_the_business_enforces_them(app: App) -> None:
    driver_id = await make_driver(app)
    route = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id)
    start = {"route_id": route}
    await app.answer("admin", "set_driver_policy", {"required": ["licence", "insurance"], "blocks_start": True})
    await make_driver_document(app, driver_id, kind="insurance")
    outcome = await app.call("driver", "start_route", start, accept_language="de")
    assert outcome.error
    assert outcome.error["code"] == "DRIVER_DOCUMENTS_NOT_IN_ORDER"
    assert outcome.error["message"] == "Pflichtdokumente des Fahrers fehlen oder sind abgelaufen: Führerschein."
    sheet = await app.answer("driver", "get_driver_info")
    assert (sheet.documents_in_order, sheet.may_start_routes) == (False, False)
    await app.answer("admin", "set_driver_policy", {"blocks_start": False})
    sheet = await app.answer("driver", "get_driver_info")
    assert (sheet.documents_in_order, sheet.may_start_routes) == (False, True)
    assert await code(app, "driver", "start_route", start) is None


async def test_a_driver_with_valid_documents_can_start_where_they_are_enforced(app: App) -> None:
    driver_id = await make_driver(app)
    route = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id)
    await app.answer("admin", "set_driver_policy", {"required": ["licence"], "blocks_start": True})
    await make_driver_document(app, driver_id)
    assert (await app.answer("driver", "get_driver_info")).may_start_routes
    assert await code(app, "driver", "start_route", {"route_id": route}) is None


async def test_a_file_of_the_wrong_type_is_reported_by_field(app: App) -> None:
    driver_id = await make_driver(app)
    body = {
        "kind": "licence",
        "file": make_file(PDF, "image/jpeg"),
        "issued_on": "2026-01-02",
        "expires_on": "2026-01-01",
    }
    answer = await app.rest("admin", "POST", f"/v1/drivers/{driver_id}/documents", body)
    assert answer.status_code == 422
    assert [each["code"] for each in answer.json()["errors"]] == ["NOT_SUCH_A_FILE"]


async def test_a_photo_of_five_megabytes_is_accepted_over_rest_and_one_byte_more_is_refused(app: App) -> None:
    path = f"/v1/drivers/{await make_driver(app)}/documents"
    largest = JPEG + bytes(5 * 1024 * 1024 - len(JPEG))
    assert (await app.rest("admin", "POST", path, {"kind": "licence", "file": make_file(largest)})).status_code == 201
    assert (
        await app.rest("admin", "POST", path, {"kind": "licence", "file": make_file(largest + b"x")})
    ).status_code == 422


async def test_the_audit_trail_records_a_document_without_its_photo(app: App) -> None:
    driver_id = await make_driver(app)
    await make_driver_document(app, driver_id, who="driver")
    async with app.database.read(None) as plain:
        rows = await plain.without_tenant_filter("a test reads the trail").all(select(audit_entries))
    (entry,) = [row for row in rows if row.operation == "add_driver_document"]
    assert entry.request["file"] == {"media_type": "image/jpeg"}


async def test_updating_a_policy_changes_only_named_fields(app: App) -> None:
    first = await app.answer("admin", "get_driver_policy")
    assert (first.required, first.blocks_start, first.notice_days, first.registration_open) == ([], False, 30, True)
    await app.answer("admin", "set_driver_policy", {"required": ["insurance", "licence", "licence"]})
    after = await app.answer("admin", "set_driver_policy", {"blocks_start": True})
    assert (after.required, after.blocks_start, after.notice_days) == (["licence", "insurance"], True, 30)
    assert (await app.answer("rival", "get_driver_policy")).required == []
    assert await code(app, "employee", "set_driver_policy", {"blocks_start": False}) == "ACCOUNT_NOT_ALLOWED"
