"""Received parcels join one ship-out; shipped ones and photos are deleted in time."""

import asyncio

from tests.contexts.consolidation.examples import PHOTO
from tests.contexts.consolidation.makers import announced, parcel_now, received
from tests.support.app import App

from haulier.contexts.consolidation.public import (
    add_to_ship_out,
    get_parcels_by_id,
    list_ship_out_parcels,
    record_ship_out_departure,
    remove_from_shipout,
)
from haulier.contexts.control_tower.retention.jobs import schedule_retention
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.errors import OperationError


async def here(app: App, number: str, who: str = "customer") -> int:
    """A parcel that is here and a customer's; the id."""
    await announced(app, number, who)
    return (await received(app, number)).id


async def combine(app: App, ship_out: int, *parcels: int, who: str = "customer") -> str:
    """Combine parcels of a customer; `done`, or the code of the refusal."""
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        try:
            await add_to_ship_out(call, parcels, customer_id=app.ids[who], ship_out_id=ship_out)
        except OperationError as refused:
            work.mark_for_rollback()
            return refused.error_type.code
    return "done"


async def test_parcels_can_be_combined_removed_and_shipped(app: App) -> None:
    one, two = await here(app, "A-1"), await here(app, "A-2")
    assert [await combine(app, 7, one, two) for _ in range(2)] == ["done", "done"]
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        assert await remove_from_shipout(call, 7, [two]) == 1
        assert [row.id for row in await list_ship_out_parcels(work, 7)] == [one]
        assert [await record_ship_out_departure(call, 7) for _ in range(2)] == [1, 0]
        assert {id: row.state for id, row in (await get_parcels_by_id(work, [one, two])).items()} == {
            one: "shipped",
            two: "matched",
        }
    assert (await parcel_now(app, one, "customer")).ship_out_id == 7


async def test_one_missing_or_foreign_parcel_refuses_the_whole_ship_out(app: App) -> None:
    own, theirs = await here(app, "A-1"), await here(app, "B-1", "customer2")
    coming, nobodys = (await announced(app, "A-2")).id, (await received(app, "C-1")).id
    refusals = {theirs: "NOT_FOUND", nobodys: "NOT_FOUND", coming: "INBOUND_STEP_REFUSED"}
    for other, code in refusals.items():
        assert await combine(app, 7, own, other) == code
        assert (await parcel_now(app, own)).state == "matched"


async def test_a_parcel_joins_one_ship_out_under_concurrent_requests(app: App) -> None:
    parcel = await here(app, "A-1")
    done = await asyncio.gather(*(combine(app, ship_out, parcel) for ship_out in range(1, 7)))
    assert sorted(done) == ["INBOUND_STEP_REFUSED"] * 5 + ["done"]


async def test_shipped_parcels_and_their_photos_are_deleted_after_retention(app: App) -> None:
    gone, kept = await here(app, "A-1"), await here(app, "A-2")
    photos = [
        (
            await app.answer("admin", "receive_inbound_parcel", {"tracking_number": number, "photo": PHOTO})
        ).parcel.photo_id
        for number in ("A-1", "A-2")
    ]
    await combine(app, 7, gone)
    async with app.database.write(app.clients["demo"]) as work:
        await record_ship_out_departure(await call_as_system(app.application, app.clients["demo"], work), 7)
    await app.answer("admin", "set_retention", {"kind": "inbound_parcels", "days": 30})
    app.clock.forward(days=31)
    await schedule_retention.handler(app.application)
    await app.work_off()
    shown = [(await app.call("admin", "get_inbound_parcel", {"parcel_id": id})).status for id in (gone, kept)]
    opened = [(await app.call("admin", "get_file", {"file_id": id})).status for id in photos]
    assert (shown, opened) == ([404, 200], [404, 200])
