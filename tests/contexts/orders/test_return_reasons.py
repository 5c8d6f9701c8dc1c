"""The client's list of failure reasons."""

from typing import Any

from tests.support.app import App
from tests.support.transport import status_and_code

HOME = {"code": "nobody_home", "texts": {"en": "Nobody home", "fr": "Absent"}, "otep_reason": "recipient_absent"}


async def make_reason(app: App, who: str = "admin", **words: Any) -> Any:
    return (await app.answer(who, "add_return_reason", {**HOME, **words})).reason


async def codes(app: App, who: str) -> list[str]:
    return [reason.code for reason in (await app.answer(who, "list_return_reasons")).reasons]


async def test_reasons_are_listed_in_their_configured_order(app: App) -> None:
    for name, position in (("last", 300), ("first", 1), ("middle", 20), ("middle_too", 20)):
        await make_reason(app, code=name, position=position)
    assert await codes(app, "driver") == ["first", "middle", "middle_too", "last"]


async def test_a_code_is_unique_within_a_client_only(app: App) -> None:
    await make_reason(app)
    assert status_and_code(await app.call("admin", "add_return_reason", HOME)) == (409, "RETURN_REASON_TAKEN")
    await make_reason(app, "rival", texts={"en": "Theirs"})
    assert await codes(app, "admin") == await codes(app, "rival") == ["nobody_home"]
    assert (await app.answer("admin", "list_return_reasons")).reasons[0].text == "Nobody home"


async def test_a_reason_can_be_replaced_but_keeps_its_code(app: App) -> None:
    reason = await make_reason(app, asks_photo=True)
    new = {"texts": {"en": "Gone"}, "otep_reason": "refused", "next_step": "return", "active": False, "position": 7}
    changed = (await app.answer("admin", "update_return_reason", {"reason_id": reason.id, **new})).reason
    assert (changed.id, changed.code, changed.texts) == (reason.id, "nobody_home", {"en": "Gone"})
    assert (changed.otep_reason, changed.next_step, changed.active, changed.position) == ("refused", "return", False, 7)
    assert changed.asks_photo is False
    assert (await app.answer("admin", "list_return_reasons")).reasons == [changed]


async def test_a_reason_is_shown_in_the_callers_language_or_in_english(app: App) -> None:
    await make_reason(app)
    told = {}
    for language in ("fr", "de"):
        answer = await app.rest("driver", "GET", "/v1/return-reasons", headers={"Accept-Language": language})
        told[language] = answer.json()["reasons"][0]["text"]
    assert told == {"fr": "Absent", "de": "Nobody home"}


async def test_only_authorized_users_can_change_reasons(app: App) -> None:
    reason = await make_reason(app)
    change = {"reason_id": reason.id, "texts": {"en": "Mine now"}}
    statuses = {who: (await app.call(who, "update_return_reason", change)).status for who in ("employee", "rival")}
    assert statuses == {"employee": 403, "rival": 404}
    assert (await app.call("driver", "add_return_reason", HOME)).status == 403
    assert (await app.call("customer", "list_return_reasons")).status == 403
    assert (await app.call(None, "list_return_reasons")).status == 401
    assert (await app.answer("admin", "list_return_reasons")).reasons == [reason]


async def test_a_reason_needs_a_text_and_a_known_tracking_reason(app: App) -> None:
    for wrong in ({"texts": {}}, {"texts": {"xx": "?"}}, {"otep_reason": "moonlight"}, {"code": "Not A Code"}):
        assert (await app.call("admin", "add_return_reason", {**HOME, **wrong})).status == 422
