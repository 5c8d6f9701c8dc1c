"""Businesses create, join and leave alliances without other businesses knowing."""

import asyncio

from tests.contexts.alliances.makers import make_alliance, make_grant, track
from tests.contexts.marketplace.partners.makers import another_business
from tests.support.app import App
from tests.support.transport import status_and_code


async def members(app: App, alliance_id: int, who: str = "admin") -> list[tuple[str, str]]:
    listed = (await app.answer(who, "list_alliance_members", {"alliance_id": alliance_id})).members
    return [(each.business, each.state) for each in listed]


async def test_an_invited_business_becomes_a_member_when_it_accepts(app: App) -> None:
    alliance_id = await make_alliance(app)
    await app.answer("admin", "invite_alliance_member", {"alliance_id": alliance_id, "business": "rival"})
    assert await members(app, alliance_id) == [("demo", "active"), ("rival", "invited")]
    (invitation,) = (await app.answer("rival", "list_alliances", {"state": "invited"})).alliances
    assert (invitation.name, invitation.founder, invitation.members) == ("Couriers", "demo", 1)
    early = await app.call("rival", "list_alliance_members", {"alliance_id": alliance_id})
    assert status_and_code(early) == (409, "ALLIANCE_NOT_A_MEMBER")
    for _ in range(2):
        joined = (await app.answer("rival", "accept_alliance_invitation", {"alliance_id": alliance_id})).alliance
        assert (joined.state, joined.members) == ("active", 2)
    assert await members(app, alliance_id, "rival") == [("demo", "active"), ("rival", "active")]


async def test_businesses_that_declined_left_or_were_removed_can_be_invited_again(app: App) -> None:
    alliance_id = await make_alliance(app)
    alliance, invite = {"alliance_id": alliance_id}, {"alliance_id": alliance_id, "business": "rival"}
    await app.answer("admin", "invite_alliance_member", invite)
    await app.answer("rival", "decline_alliance_invitation", {**alliance, "reason": "later"})
    await app.answer("admin", "invite_alliance_member", invite)
    await app.answer("rival", "accept_alliance_invitation", alliance)
    await app.answer("rival", "leave_alliance", alliance)
    await app.answer("admin", "invite_alliance_member", invite)
    await app.answer("admin", "remove_alliance_member", invite)
    assert [state for _, state in await members(app, alliance_id)] == ["active", "declined", "left", "removed"]
    (stood,) = (await app.answer("rival", "list_alliances", {})).alliances
    assert stood.state == "removed"


async def test_only_the_founder_can_update_invite_remove_and_end(app: App) -> None:
    alliance_id = await make_alliance(app, "rival")
    alliance = {"alliance_id": alliance_id}
    for operation in ("update_alliance", "end_alliance"):
        assert status_and_code(await app.call("rival", operation, alliance)) == (403, "ALLIANCE_FOUNDER_ONLY")
    for operation in ("invite_alliance_member", "remove_alliance_member"):
        refused = await app.call("rival", operation, {**alliance, "business": "demo"})
        assert status_and_code(refused) == (403, "ALLIANCE_FOUNDER_ONLY")
    changed = await app.answer("admin", "update_alliance", {**alliance, "name": "Riders"})
    assert (changed.alliance.name, changed.alliance.note) == ("Riders", None)
    assert status_and_code(await app.call("admin", "leave_alliance", alliance)) == (409, "ALLIANCE_FOUNDER_STAYS")


async def test_an_ended_alliance_has_no_members_and_no_grants(app: App) -> None:
    alliance_id = await make_alliance(app, "rival")
    await make_grant(app, alliance_id)
    ended = (await app.answer("admin", "end_alliance", {"alliance_id": alliance_id, "reason": "enough"})).alliance
    assert (ended.members, ended.reason, ended.state) == (0, "enough", "ended")
    assert status_and_code(await track(app, "HL1")) == (403, "TRACKING_NOT_GRANTED")
    again = await app.call("admin", "invite_alliance_member", {"alliance_id": alliance_id, "business": "rival"})
    assert status_and_code(again) == (409, "ALLIANCE_NOT_A_MEMBER")


async def test_a_business_outside_the_alliance_cannot_read_or_change_it(app: App) -> None:
    third = await another_business(app, "third")
    alliance = {"alliance_id": await make_alliance(app, "rival")}
    assert (await app.answer(third, "list_alliances", {})).alliances == []
    for operation in ("get_alliance", "list_alliance_members", "accept_alliance_invitation", "leave_alliance"):
        assert status_and_code(await app.call(third, operation, alliance)) == (404, "NOT_FOUND")
    granted = await app.call("admin", "grant_tracking", {**alliance, "business": third})
    assert status_and_code(granted) == (404, "NOT_FOUND")


async def test_concurrent_invitations_create_one_membership(app: App) -> None:
    invite = {"alliance_id": await make_alliance(app), "business": "rival"}
    outcomes = await asyncio.gather(*(app.call("admin", "invite_alliance_member", invite) for _ in range(2)))
    assert sorted(outcome.status for outcome in outcomes) == [200, 409]


async def test_listing_alliances_uses_a_constant_number_of_statements(app: App) -> None:
    spent: list[int] = []
    for more in (2, 20):
        for number in range(more):
            await make_alliance(app, name=f"Couriers {number}")
        before = app.statements
        await app.answer("admin", "list_alliances", {"per_page": 200})
        spent.append(app.statements - before)
    assert spent[0] == spent[1]
