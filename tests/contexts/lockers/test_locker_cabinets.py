"""Lockers with their compartments and devices, and the occupancy of a site by day."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.contexts.lockers.examples import SITE
from tests.contexts.lockers.makers import deposited, make_cabinet, parcel_now, reserved
from tests.support.app import App

from haulier.contexts.lockers.cabinets.rules import days_of_stays
from haulier.contexts.lockers.cabinets.store import StayRow


async def lockers(app: App, **filters: Any) -> Any:
    return await app.answer("admin", "list_locker_cabinets", filters)


async def test_each_compartment_reports_its_usage(app: App) -> None:
    cabinet = await make_cabinet(app, [{"size": "s", "count": 5}])
    await deposited(app, cabinet)
    await reserved(app, cabinet.site_id)
    for box, state in ((3, "faulty"), (4, "disabled")):
        await app.answer("admin", "update_locker_box", {"box_id": box, "state": state})
    answer = await lockers(app)
    (shown,) = answer.cabinets
    assert [box.use for box in shown.boxes] == ["occupied", "reserved", "faulty", "disabled", "free"]
    counts = {
        "boxes": 5,
        "free": 1,
        "rented": 0,
        "reserved": 1,
        "occupied": 1,
        "overdue": 0,
        "faulty": 1,
        "disabled": 1,
    }
    assert {name: getattr(shown.counts, name) for name in counts} == counts
    assert answer.totals == shown.counts
    assert (shown.site_name, shown.device_name, shown.device_online) == ("Union Station, hall B", "Left", True)


async def test_lockers_can_be_filtered_by_site_text_and_problems(app: App) -> None:
    well = await make_cabinet(app, name="Ärztehaus", address="Hauptstr. 5")
    site = (await app.answer("admin", "create_locker_site", {**SITE, "name": "Zoo"})).site.id
    layout = [{"size": "s", "count": 2}]
    quiet = await app.answer("admin", "add_locker_cabinet", {"site_id": site, "code": "A", "layout": layout})
    quiet = quiet.cabinet
    assert [each.id for each in (await lockers(app, needs_attention=True)).cabinets] == [quiet.id]
    assert (await lockers(app)).offline == 1
    for text in ("hauptstr", "Ärzte"):
        assert [each.id for each in (await lockers(app, search=text)).cabinets] == [well.id], text
    assert [each.id for each in (await lockers(app, site_id=well.site_id)).cabinets] == [well.id]
    assert (await lockers(app, search="100 %")).total == 0
    first = await lockers(app, per_page=1)
    assert (first.total, first.totals.boxes, len(first.cabinets)) == (2, 4, 1)
    await app.answer("admin", "update_locker_box", {"box_id": 1, "state": "faulty"})
    assert (await lockers(app, needs_attention=True)).total == 2
    await app.answer("admin", "update_locker_cabinet", {"cabinet_id": quiet.id, "retired": True})
    assert [each.id for each in (await lockers(app)).cabinets] == [well.id]
    assert (await lockers(app, retired=True)).total == 2


async def test_todays_occupancy_counts_deposited_and_collected_parcels(app: App) -> None:
    cabinet = await make_cabinet(app)
    gone = await deposited(app, cabinet)
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": gone.id}, confirmed=True)
    await cabinet.does()
    cancelled = await reserved(app, cabinet.site_id)
    await app.answer("admin", "cancel_locker_reservation", {"locker_parcel_id": cancelled.id})
    inside = await deposited(app, cabinet)
    answer = await app.answer("admin", "get_locker_occupancy", {"site_id": cabinet.site_id, "days": 3})
    assert (answer.boxes, len(answer.days)) == (2, 3)
    assert [(each.peak, each.deposited, each.taken_out) for each in answer.days[:2]] == [(0, 0, 0)] * 2
    assert (answer.days[2].deposited, answer.days[2].taken_out) == (2, 1)
    today = {"site_id": cabinet.site_id, "day": str(answer.days[2].day)}
    moved = (await app.answer("admin", "list_locker_parcels", today)).parcels
    assert [each.id for each in moved] == [inside.id, gone.id]
    past = await app.answer("admin", "list_locker_parcels", {**today, "day": str(answer.days[0].day)})
    assert past.parcels == []


async def test_a_compartment_has_a_history_of_parcels_and_door_events(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel = await deposited(app, cabinet)
    other = await reserved(app, cabinet.site_id)
    listed = await app.answer("admin", "list_locker_parcels", {"box_id": parcel.box_id})
    assert [each.id for each in listed.parcels] == [parcel.id]
    await app.answer("admin", "open_locker_box", {"box_id": other.box_id, "reason": "a look"}, confirmed=True)
    doors = await app.answer("admin", "list_device_commands", {"device_id": cabinet.device_id, "box_id": other.box_id})
    assert [each.purpose for each in doors.commands] == ["inspect"]


async def test_a_parcel_reports_if_its_code_currently_opens_the_compartment(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel = await deposited(app, cabinet)
    assert (await parcel_now(app, parcel.id)).code_works is False
    await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})
    assert (await parcel_now(app, parcel.id)).code_works is True


def test_a_peak_counts_simultaneous_stays() -> None:
    noon = datetime(2026, 6, 10, 12, tzinfo=UTC)

    def stay(begins: float, ends: float | None) -> StayRow:
        row: Any = type("Stay", (), {})()
        row.reserved_at = row.deposited_at = noon + timedelta(hours=begins)
        row.ended_at = None if ends is None else noon + timedelta(hours=ends)
        return row

    stays = [stay(-40, -30), stay(-1, 1), stay(0, 30), stay(1, 2), stay(40, None)]
    days = days_of_stays(stays, noon.date() - timedelta(days=1), noon.date() + timedelta(days=2), UTC)
    assert [each.peak for each in days] == [1, 2, 1, 1]
    assert [each.deposited for each in days] == [0, 3, 0, 1]
    assert [each.taken_out for each in days] == [1, 2, 1, 0]
