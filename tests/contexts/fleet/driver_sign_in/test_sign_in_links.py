"""Sign-in links: once, within minutes, and with no more rights than their creator."""

import asyncio
import re
from typing import Any

from sqlalchemy import select
from tests.contexts.fleet.driver_sign_in.steps import make_driver_with_account, make_sign_in_link
from tests.support.app import App, make_app
from tests.support.transport import status_and_code

from haulier.contexts.identity.sign_in_links.store import links
from haulier.kernel.values.ids import hash_token
from haulier.rendering.barcodes import encode_barcode
from haulier.rendering.page import Symbology

INVALID = (410, "SIGN_IN_LINK_INVALID")


async def sign_in(app: App, token: str) -> Any:
    return await app.call(None, "sign_in_with_link", {"token": token, "device": "Phone"})


async def states(app: App, driver_id: int) -> list[str]:
    listed = await app.answer("employee", "list_driver_sign_in_links", {"driver_id": driver_id})
    return [link.state for link in listed.links]


async def test_a_link_created_by_the_office_signs_the_driver_in_without_a_password(app: App) -> None:
    made = await make_sign_in_link(app)
    assert made.url.startswith("http://test/sign-in-link#hlsignin_")
    session = (await sign_in(app, made.token)).answer
    app.tokens["rita"] = session.access_token
    me = await app.answer("rita", "who_am_i")
    assert (me.driver_id, me.user.account, session.client.code) == (made.driver_id, "driver", "demo")
    (here,) = (await app.answer("rita", "list_sessions")).sessions
    assert (here.device, here.current) == ("Phone", True)


async def test_a_driver_without_email_gets_an_account_for_sign_in_links(app: App) -> None:
    driver_id = (await app.answer("admin", "create_driver", {"name": "Max", "phone": "+4930123456"})).driver.id
    refused = await app.call("employee", "create_driver_sign_in_link", {"driver_id": driver_id})
    assert status_and_code(refused) == (409, "DRIVER_WITHOUT_ACCOUNT")
    made = await make_sign_in_link(app, driver_id, create_account=True)
    session = (await sign_in(app, made.token)).answer
    assert (session.user.name, session.user.account) == ("Max", "driver")
    again = await make_sign_in_link(app, driver_id, create_account=True)
    assert (await sign_in(app, again.token)).answer.user.id == session.user.id
    users = (await app.answer("admin", "list_users", {"search": "Max"})).users
    assert [(user.name, user.email) for user in users] == [("Max", None)]


async def test_a_contractor_can_give_an_account_to_their_own_driver(app: App) -> None:
    driver_id = (await app.answer("contractor", "create_driver", {"name": "Lea"})).driver.id
    made = await make_sign_in_link(app, driver_id, "contractor", create_account=True)
    assert (await sign_in(app, made.token)).answer.user.account == "driver"


async def test_the_qr_code_contains_the_link(app: App) -> None:
    made = await make_sign_in_link(app)
    rows = encode_barcode(Symbology.QR, made.url)
    dark = {(int(x) - 4, int(y) - 4) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", made.qr_svg)}
    assert dark == {(x, y) for y, row in enumerate(rows) for x, bit in enumerate(row) if bit == "1"}


async def test_a_link_works_once_under_concurrent_use(app: App) -> None:
    made = await make_sign_in_link(app)
    results = await asyncio.gather(*(sign_in(app, made.token) for _ in range(3)))
    assert sorted(result.status for result in results) == [200, 410, 410]
    assert status_and_code(await sign_in(app, made.token)) == INVALID
    assert await states(app, made.driver_id) == ["used"]


async def test_a_link_expires_on_time(app: App) -> None:
    short = await make_sign_in_link(app, minutes=5)
    app.clock.forward(minutes=5)
    assert status_and_code(await sign_in(app, short.token)) == INVALID
    usual = await make_sign_in_link(app, short.driver_id)
    app.clock.forward(minutes=14)
    assert await states(app, short.driver_id) == ["waiting", "revoked"]
    assert (await sign_in(app, usual.token)).error is None
    refused = await app.call("admin", "create_driver_sign_in_link", {"driver_id": short.driver_id, "minutes": 61})
    assert (refused.status, refused.error["errors"][0]["field"]) == (422, "minutes")


async def test_a_new_link_invalidates_the_previous_one_even_concurrently(app: App) -> None:
    driver_id = await make_driver_with_account(app)
    made = await asyncio.gather(*(make_sign_in_link(app, driver_id, who) for who in ("employee", "admin", "admin")))
    let_in = [(await sign_in(app, each.token)).status for each in made]
    assert sorted(let_in) == [200, 410, 410]
    assert sorted(await states(app, driver_id)) == ["revoked", "revoked", "used"]


async def test_a_revoked_link_is_refused_and_a_used_one_stays_used(app: App) -> None:
    made = await make_sign_in_link(app)
    which = {"driver_id": made.driver_id, "link_id": made.id}
    assert (await app.answer("employee", "revoke_driver_sign_in_link", which)).link.state == "revoked"
    assert status_and_code(await sign_in(app, made.token)) == INVALID
    used = await make_sign_in_link(app, made.driver_id)
    await sign_in(app, used.token)
    again = await app.answer("employee", "revoke_driver_sign_in_link", {**which, "link_id": used.id})
    assert (again.link.state, again.link.revoked_at) == ("used", None)
    other = await make_driver_with_account(app, "Otto")
    missing = await app.call("employee", "revoke_driver_sign_in_link", {"driver_id": other, "link_id": used.id})
    assert status_and_code(missing) == (404, "NOT_FOUND")


async def test_only_the_digest_is_stored_and_the_audit_trail_names_creator_and_user(app: App) -> None:
    made = await make_sign_in_link(app)
    await sign_in(app, made.token)
    async with app.database.read(None) as work:
        (row,) = await work.without_tenant_filter("a test looks at what is kept").all(select(links))
    assert (row.token_sha256, row.made_by) == (hash_token(made.token), app.ids["employee"])
    entries = (await app.answer("admin", "list_audit_entries")).entries
    assert [(entry.operation, entry.user_name) for entry in entries if "sign_in" in entry.operation] == [
        ("sign_in_with_link", "Rita"),
        ("create_driver_sign_in_link", entries[1].user_name),
    ]
    assert all(made.token not in str(entry) for entry in entries)


async def test_a_driver_without_an_account_is_invited_once_and_then_needs_no_email(app: App) -> None:
    driver_id = (await app.answer("admin", "create_driver", {"name": "Walker"})).driver.id
    refused = await app.call("admin", "create_driver_sign_in_link", {"driver_id": driver_id})
    assert status_and_code(refused) == (409, "DRIVER_WITHOUT_ACCOUNT")
    await app.answer("admin", "invite_driver", {"driver_id": driver_id, "email": "walker@links.example"})
    made = await make_sign_in_link(app, driver_id)
    assert (await sign_in(app, made.token)).error is None


async def test_a_link_does_not_sign_in_a_disabled_driver(app: App) -> None:
    made = await make_sign_in_link(app)
    await app.answer("admin", "disable_driver", {"driver_id": made.driver_id})
    assert status_and_code(await sign_in(app, made.token)) == INVALID
    refused = await app.call("admin", "create_driver_sign_in_link", {"driver_id": made.driver_id})
    assert status_and_code(refused) == (409, "DRIVER_DISABLED")


async def test_contractors_create_links_only_for_their_own_drivers(app: App) -> None:
    theirs = (await app.answer("contractor", "create_driver", {"name": "Mo"})).driver.id
    invitation = {"driver_id": theirs, "email": "mo@links.example"}
    await app.answer("contractor", "invite_driver", invitation)
    made = await make_sign_in_link(app, theirs, "contractor")
    assert (await sign_in(app, made.token)).error is None
    for who, driver_id in (
        ("contractor2", theirs),
        ("contractor", await make_driver_with_account(app)),
        ("rival", theirs),
    ):
        for operation in ("create_driver_sign_in_link", "list_driver_sign_in_links"):
            refused = await app.call(who, operation, {"driver_id": driver_id})
            assert status_and_code(refused) == (404, "NOT_FOUND"), (who, operation)


async def test_guessing_is_slowed_down(database_url: str) -> None:
    async with make_app(database_url, rate_limits=True) as app:
        guesses = [
            await app.call(None, "sign_in_with_link", {"token": f"hlsignin_{number}"}, address="192.0.2.7")
            for number in range(31)
        ]
    assert [result.status for result in guesses] == [410] * 30 + [429]
