"""Exports are delivered only while their requester has the right."""

import pytest
from sqlalchemy import select
from tests.support.app import App
from tests.support.lost_rights import LOSSES, hire_boss, revoke_token

from haulier.contexts.control_tower.personal_data import store
from haulier.contexts.control_tower.personal_data.store import requests
from haulier.contexts.documents.files.store import files

EMAIL = "quill@ravenscroft.example"


async def make_export(app: App, who: str = "boss") -> int:
    """An export that was asked for; its id."""
    return (await app.answer(who, "export_personal_data", {"email": EMAIL})).request.id


async def count_export_files(app: App) -> int:
    """Return the number of stored files of exports."""
    async with app.database.read(app.clients["demo"]) as work:
        return len(await work.all(select(files.c.id).where(files.c.about_kind == "personal_data_request")))


async def require_cancelled(app: App, who: str, request_id: int, reason: str, boss: dict[str, int]) -> None:
    """Check that an export was cancelled and recorded once, and its file is gone."""
    shown = (await app.answer(who, "get_personal_data_request", {"request_id": request_id})).request
    assert (shown.state, shown.cancelled_reason, shown.file_id) == ("cancelled", reason, None)
    found = await app.answer(who, "list_audit_entries", {"operation": "cancel_personal_data_export"})
    assert [
        (each.request["request_id"], each.request["cancelled_reason"], each.request["requested_by"])
        for each in found.entries
    ] == [(request_id, reason, boss["user_id"])]
    assert await count_export_files(app) == 0
    async with app.database.read(app.clients["demo"]) as work:
        (row,) = await work.all(select(requests.c.state, requests.c["keys"].label("held")))
    assert (row.state, row.held) == ("cancelled", None)


@pytest.mark.parametrize("loss", LOSSES)
async def test_an_export_is_not_built_after_its_requester_loses_access(app: App, loss: str) -> None:
    boss = await hire_boss(app)
    request_id = await make_export(app)
    await LOSSES[loss](app, boss)
    await app.work_off()
    await require_cancelled(app, await app.sign_in("admin"), request_id, loss.split()[0], boss)


@pytest.mark.parametrize("loss", ["set_up_ended revoked", "set_up_ended disabled", "not_permitted demoted"])
async def test_a_finished_export_cannot_be_opened_after_its_requester_loses_access(app: App, loss: str) -> None:
    boss = await hire_boss(app)
    request_id = await make_export(app)
    await app.work_off()
    named = {"request_id": request_id}
    file = {"file_id": (await app.answer("admin", "get_personal_data_request", named)).request.file_id}
    assert (await app.call("admin", "get_file", file)).status == 200
    await LOSSES[loss](app, boss)
    who = await app.sign_in("admin")
    assert (await app.call(who, "get_file", file)).status == 404
    (listed,) = (await app.answer(who, "list_personal_data_requests")).requests
    assert (listed.state, listed.cancelled_reason, listed.file_id) == ("cancelled", loss.split()[0], None)
    for hours in (1, 24 * 8):
        app.clock.forward(hours=hours)
        await app.work_off()
    await require_cancelled(app, await app.sign_in("admin"), request_id, loss.split()[0], boss)


async def test_a_repeated_export_belongs_to_the_user_who_repeats_it(app: App) -> None:
    boss = await hire_boss(app)
    request_id = await make_export(app)
    async with app.database.write(app.clients["demo"]) as work:
        await store.update_request(work, request_id, state="failed")
    await app.answer("admin", "repeat_personal_data_request", {"request_id": request_id})
    await revoke_token(app, boss)
    await app.work_off()
    shown = (await app.answer("admin", "get_personal_data_request", {"request_id": request_id})).request
    assert (shown.state, shown.requested_by) == ("done", app.ids["admin"])


async def test_an_erasure_continues_after_its_requester_loses_access(app: App) -> None:
    boss = await hire_boss(app)
    request_id = (await app.answer("boss", "erase_personal_data", {"email": EMAIL})).request.id
    await revoke_token(app, boss)
    await app.work_off()
    shown = (await app.answer("admin", "get_personal_data_request", {"request_id": request_id})).request
    assert (shown.state, shown.cancelled_reason) == ("done", None)
