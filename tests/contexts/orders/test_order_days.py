"""The day of an order: given, or that of its time window."""

from base64 import b64encode
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from tests.support.app import App
from tests.support.transport import make_contact, make_order

from haulier.contexts.orders.delivery_orders.rules.warnings import derive_order_day

DAYS: dict[str, tuple[str, str | None, str | None, str]] = {
    "evening in Toronto, next day in UTC": ("America/Toronto", "2026-06-12T02:30:00Z", None, "2026-06-11"),
    "next day in Paris": ("Europe/Paris", "2026-06-11T22:30:00Z", None, "2026-06-12"),
    "before the clocks go forward": ("America/Toronto", "2027-03-14T06:59:00Z", None, "2027-03-14"),
    "midnight after the clocks went forward": ("America/Toronto", "2027-03-15T03:59:00Z", None, "2027-03-14"),
    "the repeated hour of autumn": ("Europe/Berlin", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00Z", "2027-10-31"),
    "end of the long day of autumn": ("America/Toronto", "2027-11-08T04:59:00Z", None, "2027-11-07"),
    "several days": ("Europe/Berlin", "2026-06-11T08:00:00Z", "2026-06-13T08:00:00Z", "2026-06-11"),
    "only an end": ("Europe/Berlin", None, "2026-06-13T08:00:00Z", "2026-06-13"),
    "until midnight": ("Europe/Berlin", None, "2026-06-12T22:00:00Z", "2026-06-12"),
}


@pytest.mark.parametrize("name", DAYS)
def test_the_day_of_a_window_is_in_local_time(name: str) -> None:
    zone, start, end, day = DAYS[name]
    moments = (moment and datetime.fromisoformat(moment) for moment in (start, end))
    assert derive_order_day(None, *moments, ZoneInfo(zone)) == date.fromisoformat(day)


def test_a_given_day_is_kept_and_without_a_window_there_is_none() -> None:
    zone, given = ZoneInfo("Europe/Berlin"), date(2026, 6, 12)
    assert derive_order_day(given, datetime.fromisoformat("2026-06-11T08:00:00Z"), None, zone) == given
    assert derive_order_day(None, None, None, zone) is None


async def list_day(app: App, day: str, who: str = "admin") -> list[int]:
    page = await app.answer(who, "get_orders", {"scheduled_from": day, "scheduled_to": day})
    return [order.id for order in page.orders]


def make_window(day: str, offset: str = "-04:00") -> dict[str, str | None]:
    start, end = (f"{day}T{hour}:00:00{offset}" for hour in (10, 12))
    return {"scheduled_date": None, "window_start": start, "window_end": end}


async def test_an_order_with_a_window_tomorrow_is_listed_tomorrow(app: App) -> None:
    order_id = await make_order(app, **make_window("2026-06-11"))
    assert (await list_day(app, "2026-06-11"), await list_day(app, "2026-06-10")) == ([order_id], [])


async def test_the_day_uses_the_business_time_zone(app: App) -> None:
    late = {"scheduled_date": None, "window_start": "2026-06-11T22:30:00Z", "window_end": "2026-06-11T23:30:00Z"}
    ours, theirs = await make_order(app, **late), await make_order(app, "rival", **late)
    assert await list_day(app, "2026-06-11") == [ours]
    assert await list_day(app, "2026-06-12", "rival") == [theirs]


async def test_moving_a_window_updates_the_day_and_the_daily_counts(app: App) -> None:
    order_id = await make_order(app, order_ref="A-1", **make_window("2026-06-11"))
    moved = {name: moment for name, moment in make_window("2026-06-13").items() if moment}
    await app.answer("admin", "update_time_window_by_refs", {"order_refs": ["A-1"], **moved})
    assert (await list_day(app, "2026-06-11"), await list_day(app, "2026-06-13")) == ([], [order_id])
    found = await app.answer("admin", "get_orders_insights", {"date_from": "2026-06-13", "date_to": "2026-06-13"})
    assert found.total.orders == 1


async def test_repeating_an_order_with_a_window_returns_the_same_order(app: App) -> None:
    request = {"consignee": make_contact(), "order_ref": "A-1", **make_window("2026-06-11")}
    first = (await app.answer("admin", "create_order", request)).order.id
    changed = await app.call("admin", "create_order", {**request, "note": "Ring twice."})
    assert [fault["field"] for fault in changed.error["errors"]] == ["note"]
    assert (await app.answer("admin", "create_order", request)).order.id == first


async def test_imported_orders_get_the_day_of_their_window(app: App) -> None:
    window = "2026-06-12T10:00:00-04:00,2026-06-12T12:00:00-04:00"
    rows = f"name,address,city,country,postal_code,from,to\nAda,1 Front St,Toronto,CA,M5V 2T6,{window}\n"
    await app.answer("admin", "import_orders", {"document": b64encode(rows.encode()).decode()})
    await app.work_off()
    assert len(await list_day(app, "2026-06-12")) == 1
