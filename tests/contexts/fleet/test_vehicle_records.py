"""Documents, readings and services of vehicles, and when they need attention."""

from datetime import timedelta
from typing import Any

from tests.contexts.documents.makers import make_file
from tests.support.app import App


async def make_vehicle(app: App, who: str = "admin", **words: Any) -> int:
    """Create a vehicle, and return its id."""
    return (await app.answer(who, "create_vehicle", {"name": "Van 1", **words})).vehicle.id


async def add_document(app: App, vehicle_id: int, days: int | None, who: str = "admin", **words: Any) -> Any:
    """Add an insurance that expires in some days."""
    ends = None if days is None else (app.clock().date() + timedelta(days=days)).isoformat()
    paper = {"vehicle_id": vehicle_id, "kind": "insurance", **({"expires_on": ends} if ends else {}), **words}
    return (await app.answer(who, "add_vehicle_document", paper)).vehicle_document


async def attention(app: App, who: str = "admin") -> dict[str, int]:
    """Return the counts of the items that need attention, by kind."""
    digest = await app.answer(who, "daily_digest")
    return {each.kind.value: each.count for each in digest.needs_attention}


async def log(app: App, vehicle_id: int, **words: Any) -> Any:
    return (await app.answer("admin", "add_vehicle_log_entry", {"vehicle_id": vehicle_id, **words})).log_entry


async def vehicle_of(app: App, vehicle_id: int) -> Any:
    return (await app.answer("admin", "get_vehicle", {"vehicle_id": vehicle_id})).vehicle


async def test_a_document_needs_attention_from_the_notice_period_until_it_is_renewed(app: App) -> None:
    van = await make_vehicle(app)
    await add_document(app, van, 31)
    assert "vehicle_documents" not in await attention(app)
    await app.answer("admin", "set_driver_policy", {"notice_days": 31})
    assert (await attention(app))["vehicle_documents"] == 1
    await add_document(app, van, 400)
    assert "vehicle_documents" not in await attention(app)


async def test_an_expired_document_needs_attention_unless_its_vehicle_is_retired(app: App) -> None:
    van = await make_vehicle(app)
    old = await add_document(app, van, -1)
    assert (old.state, old.days_left) == ("expired", -1)
    due = await app.answer("admin", "list_vehicle_documents", {"due": True})
    assert [each.id for each in due.vehicle_documents] == [old.id]
    await app.answer("admin", "retire_vehicle", {"vehicle_id": van})
    assert "vehicle_documents" not in await attention(app)


async def test_a_driver_document_needs_attention_before_it_expires(app: App) -> None:
    driver = (await app.answer("admin", "create_driver", {"name": "Dan"})).driver.id
    ends = (app.clock().date() + timedelta(days=9)).isoformat()
    paper = {"driver_id": driver, "kind": "licence", "expires_on": ends}
    made = (await app.answer("admin", "add_driver_document", paper)).document
    assert (await attention(app))["driver_documents"] == 1
    due = await app.answer("admin", "list_driver_documents", {"due": True})
    assert [each.id for each in due.documents] == [made.id]
    await app.answer("admin", "disable_driver", {"driver_id": driver})
    assert "driver_documents" not in await attention(app)


async def test_contractors_see_documents_and_services_of_their_vehicles_only(app: App) -> None:
    own = await make_vehicle(app, "contractor", name="Theirs")
    other = await make_vehicle(app, next_service_on=app.clock().date().isoformat())
    theirs = await add_document(app, own, 3, "contractor", file=make_file())
    hidden = await add_document(app, other, 3)
    listed = await app.answer("contractor", "list_vehicle_documents")
    assert [each.id for each in listed.vehicle_documents] == [theirs.id]
    assert await attention(app, "contractor") == {"vehicle_documents": 1}
    for operation in ("get_vehicle_document", "remove_vehicle_document"):
        refused = await app.call("contractor", operation, {"vehicle_document_id": hidden.id})
        assert (refused.error or {}).get("code") == "NOT_FOUND"
    assert (await app.call("contractor", "get_file", {"file_id": theirs.file.id})).error is None
    assert (await app.call("driver", "get_file", {"file_id": theirs.file.id})).error is not None


async def test_a_removed_document_takes_its_file_along(app: App) -> None:
    made = await add_document(app, await make_vehicle(app), None, file=make_file())
    await app.answer("admin", "remove_vehicle_document", {"vehicle_document_id": made.id})
    assert (await app.call("admin", "get_file", {"file_id": made.file.id})).error is not None


async def test_the_latest_reading_is_the_odometer_of_the_vehicle_and_its_removal_restores_the_one_before(
    app: App,
) -> None:
    van = await make_vehicle(app)
    before = (app.clock().date() - timedelta(days=10)).isoformat()
    await log(app, van, odometer_m=80_000_000, done_on=before)
    latest = await log(app, van, odometer_m=81_000_000)
    assert (await vehicle_of(app, van)).odometer_m == 81_000_000
    await app.answer("admin", "remove_vehicle_log_entry", {"vehicle_id": van, "log_entry_id": latest.id})
    shown = await vehicle_of(app, van)
    assert (shown.odometer_m, shown.odometer_on.isoformat()) == (80_000_000, before)


async def test_a_reading_below_an_earlier_one_is_refused_with_the_possible_range(app: App) -> None:
    van = await make_vehicle(app)
    await log(app, van, odometer_m=80_000_000, done_on=(app.clock().date() - timedelta(days=5)).isoformat())
    low = {"vehicle_id": van, "odometer_m": 8_000_000}
    refused = await app.call("admin", "add_vehicle_log_entry", low)
    assert refused.error
    assert [each["field"] for each in refused.error["errors"]] == ["odometer_m"]
    assert "80000 to ∞ km" in refused.error["errors"][0]["message"]
    ahead = {"vehicle_id": van, "odometer_m": 90_000_000, "done_on": "2199-01-01"}
    assert (await app.call("admin", "add_vehicle_log_entry", ahead)).error
    assert (await app.call("admin", "add_vehicle_log_entry", {"vehicle_id": van})).error


async def test_a_service_is_due_by_date_or_odometer_until_it_is_logged(app: App) -> None:
    van = await make_vehicle(app, next_service_at_m=90_000_000)
    assert (await vehicle_of(app, van)).service_state == "planned"
    await log(app, van, odometer_m=89_000_000)
    assert (await vehicle_of(app, van)).service_state == "due_soon"
    due = await app.answer("admin", "list_vehicles", {"service_due": True})
    assert ([each.id for each in due.vehicles], (await attention(app))["vehicle_services"]) == ([van], 1)
    later = (app.clock().date() + timedelta(days=365)).isoformat()
    work = {"kind": "service", "odometer_m": 90_100_000, "cost_minor": 25_000, "note": "Oil and filters"}
    await log(app, van, **work, next_service_on=later, next_service_at_m=120_000_000)
    shown = await vehicle_of(app, van)
    assert (shown.service_state, shown.next_service_at_m) == ("planned", 120_000_000)
    assert "vehicle_services" not in await attention(app)
    assert [
        each.kind for each in (await app.answer("admin", "list_vehicle_log_entries", {"vehicle_id": van})).log_entries
    ] == ["service", "reading"]


async def test_statements_of_the_lists_do_not_grow(app: App) -> None:
    van = await make_vehicle(app)
    counted = []
    for _ in range(3):
        await add_document(app, van, 5, file=make_file())
        await log(app, van, odometer_m=80_000_000)
        before = app.statements
        await app.answer("admin", "list_vehicle_documents", {"due": False})
        await app.answer("admin", "list_vehicle_log_entries", {"vehicle_id": van})
        await app.answer("admin", "daily_digest")
        counted.append(app.statements - before)
    assert counted[1] == counted[2]
