"""Tracking grants between members: parcels, fields and expiry."""

import asyncio
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from tests.contexts.alliances.makers import SECRETS, make_alliance, make_grant, make_parcel, track
from tests.contexts.marketplace.partners.makers import another_business
from tests.support.app import App
from tests.support.transport import status_and_code

from haulier.contexts.alliances.alliances.rules import SharedField


def seen(outcome: Any) -> str:
    assert outcome.error is None, outcome.error
    return msgspec.json.encode(outcome.answer.trackings).decode()


async def test_data_is_visible_only_while_a_grant_is_active(app: App) -> None:
    number, refused = await make_parcel(app), (403, "TRACKING_NOT_GRANTED")
    assert status_and_code(await track(app, number)) == refused
    alliance_id = await make_alliance(app, "rival")
    assert status_and_code(await track(app, number)) == refused
    grant = {"grant_id": await make_grant(app, alliance_id)}
    assert number in seen(await track(app, number))
    await app.answer("admin", "suspend_tracking_grant", grant)
    assert status_and_code(await track(app, number)) == refused
    await app.answer("admin", "resume_tracking_grant", grant)
    assert number in seen(await track(app, number))
    await app.answer("admin", "revoke_tracking_grant", grant)
    assert status_and_code(await track(app, number)) == refused
    for operation in ("resume_tracking_grant", "suspend_tracking_grant", "update_shared_numbers"):
        assert status_and_code(await app.call("admin", operation, grant)) == (409, "TRACKING_GRANT_ENDED")


async def test_each_granted_field_reveals_only_its_own_data(app: App) -> None:
    number, alliance_id = await make_parcel(app), await make_alliance(app, "rival")
    await make_grant(app, alliance_id)
    plain = seen(await track(app, number))
    assert not [secret for secret in (*SECRETS.values(), "never") if secret in plain]
    assert "delivery_failed" in plain
    assert "Toronto" in plain
    for field in SharedField:
        await make_grant(app, alliance_id, fields=[field.value])
        shown = seen(await track(app, number))
        assert [name for name, secret in SECRETS.items() if secret in shown] == [field.value]
        assert "never" not in shown


async def test_a_grant_with_a_list_covers_only_its_tracking_numbers(app: App) -> None:
    listed, other = await make_parcel(app), await make_parcel(app)
    alliance_id = await make_alliance(app, "rival")
    grant_id = await make_grant(app, alliance_id, numbers="listed", tracking_numbers=[listed.lower()])
    answer = (await track(app, listed, other, "HL0000")).answer
    assert [each.tracking_number for each in answer.trackings] == [listed]
    told = {each.tracking_number: each.message for each in answer.errors}
    assert told.keys() == {other, "HL0000"}
    assert told[other] == told["HL0000"], "whether a parcel exists is not told"
    change = {"grant_id": grant_id, "add": [other], "remove": [listed]}
    for _ in range(2):
        await app.answer("admin", "update_shared_numbers", change)
    assert [each.tracking_number for each in (await track(app, listed, other)).answer.trackings] == [other]
    for who in ("admin", "rival"):
        assert (await app.answer(who, "list_shared_numbers", {"grant_id": grant_id})).tracking_numbers == [other]


async def test_a_grant_expires_at_its_end_date(app: App) -> None:
    number, alliance_id = await make_parcel(app), await make_alliance(app, "rival")
    until = app.clock.now + timedelta(hours=1)
    await make_grant(app, alliance_id, expires_at=until.isoformat())
    assert number in seen(await track(app, number))
    app.clock.forward(hours=2)
    assert status_and_code(await track(app, number)) == (403, "TRACKING_NOT_GRANTED")
    (grant,) = (await app.answer("admin", "list_tracking_grants", {"in_force": False})).grants
    assert grant.state == "expired"
    past = {"alliance_id": alliance_id, "business": "rival", "expires_at": until.isoformat()}
    assert status_and_code(await app.call("admin", "grant_tracking", past)) == (422, "INVALID_REQUEST")


@pytest.mark.parametrize("goes", ["reader", "giver"])
async def test_a_grant_ends_when_either_member_leaves_and_is_not_restored_on_return(app: App, goes: str) -> None:
    number, third = await make_parcel(app), await another_business(app, "third")
    alliance = {"alliance_id": (await app.answer(third, "create_alliance", {"name": "Couriers"})).alliance.id}
    for member, business in (("admin", "demo"), ("rival", "rival")):
        await app.answer(third, "invite_alliance_member", {**alliance, "business": business})
        await app.answer(member, "accept_alliance_invitation", alliance)
    await make_grant(app, alliance["alliance_id"])
    assert number in seen(await track(app, number))
    who, business = {"reader": ("rival", "rival"), "giver": ("admin", "demo")}[goes]
    await app.answer(who, "leave_alliance", alliance)
    app.clock.forward(minutes=1)
    await app.answer(third, "invite_alliance_member", {**alliance, "business": business})
    await app.answer(who, "accept_alliance_invitation", alliance)
    assert status_and_code(await track(app, number)) == (403, "TRACKING_NOT_GRANTED")
    (grant,) = (await app.answer("rival", "list_tracking_grants", {"direction": "received"})).grants
    assert grant.state == "ended"


async def test_a_grant_applies_in_one_direction_to_one_reader(app: App) -> None:
    third, number = await another_business(app, "third"), await make_parcel(app)
    alliance_id = await make_alliance(app, "rival", third)
    grant = {"grant_id": await make_grant(app, alliance_id)}
    for who, business in ((third, "demo"), ("admin", "rival")):
        outcome = await track(app, number, who=who, business=business)
        assert status_and_code(outcome) == (403, "TRACKING_NOT_GRANTED")
    for operation in ("suspend_tracking_grant", "revoke_tracking_grant", "update_shared_numbers"):
        assert status_and_code(await app.call("rival", operation, grant)) == (404, "NOT_FOUND")
        assert status_and_code(await app.call(third, operation, grant)) == (404, "NOT_FOUND")
    assert status_and_code(await app.call(third, "list_shared_numbers", grant)) == (404, "NOT_FOUND")


async def test_accessible_clients_have_an_active_grant(app: App) -> None:
    alliance_id = await make_alliance(app, "rival")
    assert (await app.answer("rival", "list_accessible_clients", {})).clients == []
    grant_id = await make_grant(app, alliance_id, fields=["proof"])
    (client,) = (await app.answer("rival", "list_accessible_clients", {})).clients
    assert (client.business, client.alliance, client.numbers, client.fields) == ("demo", "Couriers", "all", ["proof"])
    await app.answer("admin", "suspend_tracking_grant", {"grant_id": grant_id})
    assert (await app.answer("rival", "list_accessible_clients", {})).total == 0


async def test_every_read_is_recorded_for_both_businesses(app: App) -> None:
    number, alliance_id = await make_parcel(app), await make_alliance(app, "rival")
    grant_id = await make_grant(app, alliance_id)
    await track(app, number, "HL0000")
    (given,) = (await app.answer("admin", "list_alliance_reads", {"business": "rival"})).reads
    assert (given.business, given.tracking_number, given.user_id) == ("rival", number, None)
    (received,) = (await app.answer("rival", "list_alliance_reads", {"direction": "received"})).reads
    assert (received.business, received.grant_id, received.user_id) == ("demo", grant_id, app.ids["rival"])
    (entry,) = (await app.answer("rival", "list_audit_entries", {"operation": "get_allied_trackings"})).entries
    assert entry.request == {"business": "demo", "tracking_numbers": [number, "HL0000"]}
    assert (await app.answer("admin", "list_alliance_reads", {"tracking_number": "HL9"})).total == 0


async def test_a_dry_run_of_a_read_is_recorded(app: App) -> None:
    number, alliance_id = await make_parcel(app), await make_alliance(app, "rival")
    await make_grant(app, alliance_id)
    asked = {"business": "demo", "tracking_numbers": [number]}
    assert (await app.call("rival", "get_allied_trackings", asked, dry_run=True)).answer.trackings
    assert (await app.answer("admin", "list_alliance_reads", {})).total == 1


async def test_concurrent_grants_create_one_grant(app: App) -> None:
    alliance_id = await make_alliance(app, "rival")
    asked = {"alliance_id": alliance_id, "business": "rival", "numbers": "all"}
    outcomes = await asyncio.gather(*(app.call("admin", "grant_tracking", asked) for _ in range(4)))
    assert {outcome.status for outcome in outcomes} == {200}
    assert (await app.answer("admin", "list_tracking_grants", {"in_force": True})).total == 1


async def test_reading_many_numbers_uses_a_constant_number_of_statements(app: App) -> None:
    numbers = [await make_parcel(app) for _ in range(4)]
    await make_grant(app, await make_alliance(app, "rival"), numbers="listed", tracking_numbers=numbers)
    spent: list[int] = []
    for asked in (numbers[:1], numbers):
        before = app.statements
        assert len((await track(app, *asked)).answer.trackings) == len(asked)
        spent.append(app.statements - before)
    assert spent[0] == spent[1]


async def test_a_token_cannot_share_timelines_it_cannot_read(app: App) -> None:
    alliance_id = await make_alliance(app, "rival")
    weak = {"name": "weak", "scopes": ["alliance:read", "account:write"]}
    app.tokens["weak"] = (await app.answer("admin", "issue_api_token", weak)).access_token
    asked = {"alliance_id": alliance_id, "business": "rival", "numbers": "all"}
    refused = await app.call("weak", "grant_tracking", asked)
    assert (refused.status, (refused.error or {})["code"]) == (403, "SCOPES_EXCEEDED")
