"""Bulk actions on all matching records: in repeatable chunks, with each result."""

import re
from html import unescape
from typing import Any

import httpx
import pytest
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import Checked, get_page, page_text, send_form

from haulier.app import registry
from haulier.kernel.operations.resources import resources_of
from haulier.web.desk import bulk_actions
from haulier.web.desk.bulk_actions import in_pieces


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three records make a piece, so that a few orders are several pieces."""
    monkeypatch.setattr(bulk_actions, "PIECE", 3)


async def waiting_orders(app: App, count: int) -> list[int]:
    return [(await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id for _ in range(count)]


async def statuses(app: App, ids: list[int]) -> list[str]:
    return [(await app.answer("admin", "get_order_detail", {"order_id": id})).order.status for id in ids]


def fields_of(page: httpx.Response) -> dict[str, Any]:
    """Return the fields of a form: that of the action, or the one that continues."""
    form = re.search(r'<form (?:class="sheet act"|id="go-on").*?</form>', page.text, re.S)
    assert form, page_text(page)
    fields = re.findall(r'name="([^"]+)" value="([^"]*)"', form[0])
    return {**{name: unescape(value) for name, value in fields}, "step": "do"}


def goes_on(page: httpx.Response) -> bool:
    return 'id="go-on"' in page.text


async def choose_all(app: App, act: str, where: str, noun: str = "orders", who: str = "admin") -> httpx.Response:
    """Return the page of an action on all matching records."""
    asked = await app_pick(app, f"/desk/{noun}/pick", act=act, all="1", where=where, who=who)
    return await get_page(app, asked, who)


async def app_pick(app: App, path: str, who: str, **query: str) -> str:
    answer = await get_page(app, path, who, params=query)
    assert answer.status_code == 303
    return answer.headers["location"]


async def run(app: App, address: str, page: httpx.Response, **typed: str) -> list[httpx.Response]:
    """Press the button until nothing is left; every page on the way."""
    pages = [await send_form(app, address, "admin", **{**fields_of(page), **typed})]
    while goes_on(pages[-1]):
        pages.append(await send_form(app, address, "admin", **fields_of(pages[-1])))
    return pages


async def test_a_long_list_offers_all_matching_records_and_a_short_one_does_not(app: App) -> None:
    await waiting_orders(app, 3)
    page = await get_page(app, "/desk/orders?per_page=2&status=NEW_ORDER&columns=id", "admin")
    assert "Select all 3" in page_text(page)
    assert 'name="where" value="status=NEW_ORDER"' in page.text
    assert 'name="all"' not in (await get_page(app, "/desk/orders", "admin")).text


async def test_all_matching_records_are_processed_in_chunks(app: App) -> None:
    ids = await waiting_orders(app, 7)
    other = await make_order(app)
    await app.answer("admin", "hold_order", {"order_id": other})
    page = await choose_all(app, "cancel_order", "status=NEW_ORDER")
    assert Checked(page.text).faults == []
    assert "Apply to 7" in page_text(page)
    assert 'name="order_id"' not in page.text
    pages = await run(app, "/desk/act/cancel_order", page, reason="storm")
    assert [Checked(each.text).faults for each in pages] == [[]] * 4
    told = [re.findall(r'class="said">([^<]+)<', each.text)[0] for each in pages]
    assert told == ["0 of 7", "3 of 7", "6 of 7", "7 of 7"], "the first one only looks again"
    assert await statuses(app, ids) == ["CANCELLED"] * 7
    assert await statuses(app, [other]) == ["HOLD"]


async def test_a_repeated_chunk_runs_once_and_returns_the_same_response(app: App) -> None:
    ids = await waiting_orders(app, 4)
    page = await choose_all(app, "hold_order", "status=NEW_ORDER")
    looked = await send_form(app, "/desk/act/hold_order", "admin", **fields_of(page))
    first, again = [await send_form(app, "/desk/act/hold_order", "admin", **fields_of(looked)) for _ in range(2)]
    said = [re.findall(r'class="said">([^<]+)<|badge good">(\d+)', each.text) for each in (first, again)]
    assert said[0] == said[1] == [("3 of 4", ""), ("", "3")]
    entries = (await app.answer("admin", "list_audit_entries", {"operation": "hold_order"})).entries
    assert len(entries) == 3
    assert (await statuses(app, ids)).count("HOLD") == 3


async def test_records_that_no_longer_match_are_skipped_and_reported(app: App) -> None:
    ids = await waiting_orders(app, 7)
    page = await choose_all(app, "cancel_order", "status=NEW_ORDER")
    await app.answer("admin", "hold_order", {"order_id": ids[6]})  # while a user reads the form
    looked = await send_form(app, "/desk/act/cancel_order", "admin", **{**fields_of(page), "reason": "storm"})
    await app.answer("admin", "hold_order", {"order_id": ids[0]})  # while pieces are done
    new = await make_order(app)
    pages = await run(app, "/desk/act/cancel_order", looked)
    assert await statuses(app, ids) == ["HOLD", *["CANCELLED"] * 5, "HOLD"]
    assert await statuses(app, [new]) == ["NEW_ORDER"], "what came later was not chosen"
    text = page_text(pages[-1])
    assert "5 Done." in text
    assert f"2 Skipped because they no longer match the filters. {ids[6]} , {ids[0]}" in text
    assert f'<a href="/desk/orders/{ids[0]}">' in pages[-1].text


async def test_each_refusal_is_reported_with_its_records_and_stops_no_other(app: App) -> None:
    ids = await waiting_orders(app, 5)
    await app.answer("admin", "hold_order", {"order_id": ids[1]})
    page = await choose_all(app, "hold_order", "")
    pages = await run(app, "/desk/act/hold_order", page)
    refused = (await app.call("admin", "hold_order", {"order_id": ids[1]})).error
    assert refused
    assert "4 Done." in page_text(pages[-1])
    assert f"1 {refused['message']} {ids[1]}" in page_text(pages[-1])


async def test_bulk_writes_are_sent_in_chunks_with_individual_outcomes(app: App) -> None:
    ids = await waiting_orders(app, 5)
    await app.answer("admin", "hold_order", {"order_id": ids[1]})
    page = await choose_all(app, "hold_orders", "")
    pages = await run(app, "/desk/act/hold_orders", page, reason="storm")
    assert await statuses(app, ids) == ["HOLD"] * 5
    assert "4 Done." in page_text(pages[-1])
    assert f" {ids[1]}" in page_text(pages[-1]).partition("4 Done.")[2]
    assert len((await app.answer("admin", "list_audit_entries", {"operation": "hold_orders"})).entries) == 2


async def test_a_form_error_is_reported_before_anything_runs(app: App) -> None:
    ids = await waiting_orders(app, 4)
    page = await choose_all(app, "hold_order", "status=NEW_ORDER")
    sent = {**fields_of(page), "reason": "x" * 5_000}
    looked = await send_form(app, "/desk/act/hold_order", "admin", **sent)
    fault = await send_form(app, "/desk/act/hold_order", "admin", **fields_of(looked))
    assert fault.status_code == 422
    assert 'id="reason-fault"' in fault.text
    assert await statuses(app, ids) == ["NEW_ORDER"] * 4
    pages = await run(app, "/desk/act/hold_order", fault, reason="storm")
    assert await statuses(app, ids) == ["HOLD"] * 4
    assert "4 Done." in page_text(pages[-1])


async def test_a_bulk_action_can_be_undone_as_a_whole(app: App) -> None:
    for name in "ABCDE":
        await app.answer("admin", "create_driver", {"name": name})
    page = await choose_all(app, "disable_driver", "", noun="drivers")
    pages = await run(app, "/desk/act/disable_driver", page)
    undo = re.search(r'<form class="undo" method="post" action="([^"]+)">(.*?)</form>', pages[-1].text, re.S)
    assert undo
    fields = {name: unescape(text) for name, text in re.findall(r'name="([^"]+)" value="([^"]*)"', undo[2])}
    back = await send_form(app, undo[1], "admin", **{**fields, "step": "do"})
    await run(app, undo[1], back)
    assert [each.active for each in (await app.answer("admin", "get_drivers")).drivers] == [True] * 5


async def test_an_action_that_combines_records_is_prefilled_up_to_its_limit(app: App) -> None:
    ids = await waiting_orders(app, 3)
    page = await choose_all(app, "issue_document", "status=NEW_ORDER")
    chosen = re.search(r'<textarea id="order_ids"[^>]* data-chosen="([^"]*)"', page.text)
    assert chosen
    assert sorted(map(int, chosen[1].split())) == ids
    assert 'name="many"' not in page.text


async def test_an_invalid_filter_is_reported_and_a_forged_form_changes_nothing(app: App) -> None:
    ids = await waiting_orders(app, 2)
    page = await choose_all(app, "hold_order", "status=NOWHERE")
    assert page.status_code == 422
    for text in ("[]", '{"noun":"drivers","left":"1"}', '{"noun":"horses","left":"1"}'):
        await send_form(app, "/desk/act/hold_order", "admin", step="do", many=text)
    assert await statuses(app, ids) == ["NEW_ORDER"] * 2


async def test_users_of_another_business_neither_see_nor_change_the_records(app: App) -> None:
    ids = await waiting_orders(app, 2)
    page = await choose_all(app, "hold_order", "status=NEW_ORDER", who="rival")
    assert "Apply to 0" in page_text(page)
    carried = fields_of(await choose_all(app, "hold_order", "status=NEW_ORDER"))["many"]
    sent = await send_form(app, "/desk/act/hold_order", "rival", step="do", many=carried)
    await send_form(app, "/desk/act/hold_order", "rival", **{**fields_of(page), "many": carried})
    assert sent.status_code == 200
    assert await statuses(app, ids) == ["NEW_ORDER"] * 2


def test_chunked_responses_list_the_refused_records() -> None:
    orders = resources_of(registry()).by_key["orders"]
    told = {act.name for act in orders.bulk if in_pieces(act, orders)}
    assert {"hold_orders", "release_orders", "reschedule_orders", "add_orders_to_route"} <= told
    assert "start_packing_search" not in told
