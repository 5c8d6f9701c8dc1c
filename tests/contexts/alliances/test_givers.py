"""A grant shows parcels only while its issuer could issue it."""

import pytest
from tests.contexts.alliances.makers import make_alliance, make_parcel, track
from tests.support.app import App
from tests.support.lost_rights import LOSSES, hire_boss, revoke_token
from tests.support.transport import status_and_code

from haulier.contexts.alliances.alliances.jobs import suspend_lapsed_grants

REFUSED = (403, "TRACKING_NOT_GRANTED")


@pytest.mark.parametrize("loss", LOSSES)
async def test_a_grant_shows_nothing_after_its_grantor_loses_access(app: App, loss: str) -> None:
    number, alliance_id, boss = await make_parcel(app), await make_alliance(app, "rival"), await hire_boss(app)
    asked = {"alliance_id": alliance_id, "business": "rival", "numbers": "all"}
    grant_id = (await app.answer("boss", "grant_tracking", asked)).grant.id
    assert (await track(app, number)).answer.trackings
    await LOSSES[loss](app, boss)
    who = await app.sign_in("admin")
    rival = await app.sign_in("rival")
    assert status_and_code(await track(app, number, who=rival)) == REFUSED
    for _ in range(2):
        (shown,) = (await app.answer(who, "list_tracking_grants")).grants
        assert (shown.state, shown.suspended_reason) == ("suspended", loss.split()[0])
        await suspend_lapsed_grants.handler(app.application)
    entries = (await app.answer(who, "list_audit_entries", {"operation": "suspend_tracking_grant"})).entries
    assert [(each.request["suspended_reason"], each.request["set_up_by"]) for each in entries] == [
        (loss.split()[0], boss["user_id"])
    ]
    resumed = (await app.answer(who, "resume_tracking_grant", {"grant_id": grant_id})).grant
    assert (resumed.state, resumed.suspended_reason) == ("in_force", None)
    assert (await track(app, number, who=rival)).answer.trackings


async def test_a_listed_number_is_hidden_after_the_token_that_listed_it_is_revoked(app: App) -> None:
    own, other = await make_parcel(app), await make_parcel(app)
    alliance_id, boss = await make_alliance(app, "rival"), await hire_boss(app)
    asked = {"alliance_id": alliance_id, "business": "rival", "numbers": "listed", "tracking_numbers": [own]}
    grant_id = (await app.answer("admin", "grant_tracking", asked)).grant.id
    await app.answer("boss", "update_shared_numbers", {"grant_id": grant_id, "add": [other]})
    assert {each.tracking_number for each in (await track(app, own, other)).answer.trackings} == {own, other}
    await revoke_token(app, boss)
    assert [each.tracking_number for each in (await track(app, own, other)).answer.trackings] == [own]
    await app.answer("admin", "resume_tracking_grant", {"grant_id": grant_id})
    assert {each.tracking_number for each in (await track(app, own, other)).answer.trackings} == {own, other}
