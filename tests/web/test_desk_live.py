"""Live lists and records of the desk: messages of a stream, access, and cost."""

import asyncio
import re
from html import unescape
from typing import Any

import pytest
from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App
from tests.web.desk_streams import PATIENCE_S, live_address, told
from tests.web.page_client import get_page

from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import places_of


async def test_a_list_is_pushed_again_only_when_one_of_its_records_changes(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    address = await live_address(app, "/desk/drivers", "admin")
    heard = told(app, address, "admin")
    waiting = asyncio.ensure_future(anext(heard))
    await asyncio.sleep(0.05)
    assert not waiting.done(), "what the page shows already is not told"
    await app.answer("admin", "update_driver", {"driver_id": 1, "name": "Dora"})
    async with asyncio.timeout(PATIENCE_S):
        message = await waiting
    assert 'data-id="1"' in message["html"]
    assert "Dora" in message["html"]
    assert message["html"] in (await get_page(app, "/desk/drivers", "admin")).text


async def test_a_changed_record_is_pushed_again(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    heard = told(app, await live_address(app, "/desk/drivers/1", "admin"), "admin")
    waiting = asyncio.ensure_future(anext(heard))
    await asyncio.sleep(0)
    await app.answer("admin", "update_driver", {"driver_id": 1, "vehicle": "Van 7"})
    async with asyncio.timeout(PATIENCE_S):
        html = (await waiting)["html"]
        while "Van 7" not in html:
            html = (await anext(heard))["html"]
    history = html.partition("History")[2]
    assert "Edit driver" in history, "what was done to it is told with it"
    assert "Create driver" in history.partition("Edit driver")[2], "newest first"


async def test_a_long_history_links_to_all_entries_for_users_with_access(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    for number in range(10):
        await app.answer("admin", "update_driver", {"driver_id": 1, "vehicle": f"Van {number}"})
    page = (await get_page(app, "/desk/drivers/1", "admin")).text
    assert page.count('<li data-id="done-') == 10
    rest = re.search(r'href="(/desk/audit-entries\?subject_kind=driver&amp;subject_id=1)"', page)
    assert rest is not None
    assert (await get_page(app, unescape(rest[1]), "admin")).text.count("<tr>") == 1 + 11, "a head, and all of it"
    assert "History" not in (await get_page(app, "/desk/drivers/1", "employee")).text


async def test_a_hundred_open_pages_share_one_read(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    address = await live_address(app, "/desk/drivers", "admin")
    pages = [told(app, address, "admin") for _ in range(100)]
    waiting = [asyncio.ensure_future(anext(each)) for each in pages]
    await asyncio.sleep(0)
    asked: list[str] = []
    call = DeskRequest.call

    async def counted(desk: DeskRequest, operation: Any, values: Any, **options: Any) -> Any:
        asked.append(operation.name)
        return await call(desk, operation, values, **options)

    monkeypatch.setattr(DeskRequest, "call", counted)
    await app.answer("admin", "update_driver", {"driver_id": 1, "name": "Dora"})
    async with asyncio.timeout(PATIENCE_S):
        messages = await asyncio.gather(*waiting)
    assert len({each["state"] for each in messages}) == 1
    assert len(asked) <= 2, "one read for all; one more where a page opened between"


async def test_a_shared_update_holds_no_token_of_a_session(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    depot = {"name": "Main", "address": "1 King St W, Toronto", "lat": 43.65, "lng": -79.38}
    await app.answer("admin", "create_depot", depot)
    order = f"/desk/orders/{await create_order_as(app, order_ref='A-1')}"
    page = (await get_page(app, order, "admin")).text
    own = set(re.findall(r'name="csrf" value="([^"]+)"', page))
    assert len(own) == 1, "all forms of a page have the token of its session"
    assert 'action="/desk/day-route"' in page
    heard = told(app, await live_address(app, order, "admin"), "admin")
    waiting = asyncio.ensure_future(anext(heard))
    await asyncio.sleep(0.05)
    assert not waiting.done(), "what the page shows already is not told"
    await app.answer("admin", "update_order_note", {"order_id": int(order.rpartition("/")[2]), "note": "Ring twice."})
    async with asyncio.timeout(PATIENCE_S):
        html = (await waiting)["html"]
    assert set(re.findall(r'name="csrf" value="([^"]+)"', html)) == {"csrf-of-session"}
    assert own.pop() not in html


async def test_updates_are_isolated_by_business(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    address = await live_address(app, "/desk/drivers", "admin")
    assert (await app.http.get(address)).is_redirect
    heard = await anext(told(app, address, "rival"))
    assert "Dana" not in heard["html"]
    assert (await get_page(app, "/desk/live/nothing", "admin")).status_code == 404


async def test_pages_that_must_not_repeat_their_call_have_no_live_updates(app: App) -> None:
    registry = app.application.registry
    places = places_of(registry)
    guarded = [noun for noun in places.nouns if noun.listing.audited or noun.listing.limits]
    for noun in guarded[:3]:
        page = await get_page(app, f"/desk/{noun.key}", "admin")
        assert "data-live" not in page.text
