"""Logins of a contractor's drivers, with no more rights than the contractor."""

from tests.contexts.identity.invitations.steps import accept
from tests.contexts.identity.mailbox import link_token
from tests.support.app import PASSWORD, App
from tests.support.transport import status_and_code

MO = "mo@drivers.example"


async def make_contractor_driver(app: App) -> int:
    return (await app.answer("contractor", "create_driver", {"name": "Mo"})).driver.id


async def test_a_contractor_invites_a_driver_who_has_no_more_rights_than_the_contractor(app: App) -> None:
    driver_id = await make_contractor_driver(app)
    invited = await app.rest("contractor", "POST", f"/v1/drivers/{driver_id}/invitation", {"email": MO})
    assert (invited.status_code, invited.json()["driver"]["user_id"] is not None) == (200, True)
    assert (await accept(app, await link_token(app, MO), password=PASSWORD)).error is None
    signed_in = await app.answer(None, "login", {"email": MO, "password": PASSWORD})
    app.tokens["mo"] = signed_in.access_token
    mine = (await app.answer("contractor", "who_am_i")).scopes
    theirs = (await app.answer("mo", "who_am_i")).scopes
    assert set(theirs) <= set(mine)
    assert "routes:read" in theirs
    await app.answer("contractor", "disable_driver", {"driver_id": driver_id})
    assert (await app.call("mo", "who_am_i")).status == 401
    assert (await app.answer("contractor", "get_driver", {"driver_id": driver_id})).driver.active is False
    enabled = await app.answer("contractor", "enable_driver", {"driver_id": driver_id})
    assert enabled.driver.active is True


async def test_a_contractor_cannot_access_drivers_of_the_client_or_other_contractors(app: App) -> None:
    driver_id = await make_contractor_driver(app)
    own = (await app.answer("admin", "create_driver", {"name": "Dana"})).driver.id
    for who, driver in (("contractor2", driver_id), ("contractor", own)):
        for operation, more in (("invite_driver", {"email": MO}), ("disable_driver", {}), ("enable_driver", {})):
            refused = await app.call(who, operation, {"driver_id": driver, **more})
            assert status_and_code(refused) == (404, "NOT_FOUND"), operation
