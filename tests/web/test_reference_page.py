"""The operation reference: signed-in users can try operations and link to one."""

import re
from typing import Any

from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import get_page, session_cookie

from haulier.web.session import csrf_token_of


async def try_operation(app: App, who: str, operation: str, body: str, **headers: str) -> Any:
    """Return the result of an operation form in the session of a user."""
    app.http.cookies.clear()
    sent = {"cookie": session_cookie(app, who), "x-csrf": csrf_token_of(app.tokens[who]), **headers}
    return await app.http.post(f"/api/docs/try/{operation}", content=body, headers=sent)


async def test_signed_in_users_are_not_asked_to_sign_in_again(app: App) -> None:
    mine, anybodys = await get_page(app, "/api/docs", "employee"), await get_page(app, "/api/docs")
    assert f'data-csrf="{csrf_token_of(app.tokens["employee"])}"' in mine.text
    assert ('id="sign-in"' in mine.text, 'id="sign-in"' in anybodys.text) == (False, True)
    assert app.tokens["employee"] not in mine.text


async def test_operations_can_be_tried_with_the_users_session(app: App) -> None:
    me = await try_operation(app, "employee", "who_am_i", "{}")
    assert (me.status_code, me.json()["user"]["id"]) == (200, app.ids["employee"])
    order = f'{{"order_id": {await make_order(app)}}}'
    assert (await try_operation(app, "employee", "get_order_detail", order)).status_code == 200
    assert (await try_operation(app, "rival", "get_order_detail", order)).status_code == 404
    assert (await try_operation(app, "employee", "get_order_detail", "{}")).status_code == 422


async def test_cross_site_and_anonymous_trials_are_refused(app: App) -> None:
    for refused in ({"x-csrf": "guess"}, {"sec-fetch-site": "cross-site"}):
        assert (await try_operation(app, "employee", "who_am_i", "{}", **refused)).status_code == 403
    assert (await try_operation(app, "employee", "who_am_i", "{}", cookie="")).status_code == 401
    assert (await try_operation(app, "employee", "no_such_operation", "{}")).status_code == 404


async def test_every_operation_has_its_own_url(app: App) -> None:
    page = (await get_page(app, "/api/docs")).text
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {operation.name for operation in app.application.registry} <= set(ids)
    assert '<a href="#create_order">' in page
