"""The dispatch board on the server: access, allowed operations, texts and policy."""

import json
import re
from typing import Any

from tests.contexts.routes.routes.makers import some_routes, stop_ids_of, stops_of
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import DAY, make_order, make_route, make_started_route, some_orders
from tests.web.page_client import get_page, page_text, session_cookie

from haulier.contexts.routes.stops.rules import OPEN, StopStatus
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.web.session import csrf_token_of


async def call_from_board(app: App, who: str, operation: str, csrf: str | None = None, **values: Any) -> Any:
    """Return the response to an operation called by the page's scripts."""
    app.http.cookies.clear()
    mark = csrf_token_of(app.tokens[who]) if csrf is None else csrf
    headers = {"cookie": session_cookie(app, who), "x-csrf": mark, "content-type": "application/json"}
    return await app.http.post(f"/dispatch/ask/{operation}", content=json.dumps(values), headers=headers)


class TestAccess:
    @for_every("path", ["/dispatch", "/dispatch?day=2026-06-10", "/dispatch/list"])
    async def test_an_anonymous_user_is_redirected_to_sign_in_and_back(self, app: App, path: str) -> None:
        answer = await get_page(app, path)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in?next=/dispatch")

    @for_every(
        ("who", "status"), [("admin", 200), ("employee", 200), ("contractor", 200), ("driver", 403), ("customer", 403)]
    )
    async def test_the_board_is_for_desk_users(self, app: App, who: str, status: int) -> None:
        assert (await get_page(app, "/dispatch", who)).status_code == status

    async def test_streams_and_queries_require_a_session(self, app: App) -> None:
        assert (await get_page(app, "/dispatch/stream")).status_code == 401
        assert (await get_page(app, "/dispatch/builds/1/stream")).status_code == 401
        assert (await app.http.post("/dispatch/ask/dispatch_board", content="{}")).status_code == 401

    async def test_another_client_sees_none_of_it(self, app: App) -> None:
        (route,) = await some_routes(app, 2)
        mine = (await call_from_board(app, "admin", "dispatch_board", day=DAY)).json()
        theirs = (await call_from_board(app, "rival", "dispatch_board", day=DAY)).json()
        assert [each["id"] for each in mine["routes"]] == [route.id]
        assert (theirs["routes"], theirs["depots"], theirs["drivers"]) == ([], [], [])
        check = await call_from_board(app, "rival", "check_route_change", route_ids=[route.id])
        assert check.status_code == 404


class TestQueries:
    async def test_a_query_without_a_csrf_token_is_refused(self, app: App) -> None:
        here, there = await some_routes(app, 2, 1)
        move: dict[str, Any] = {"route_id": there.id, "stop_ids": [here.stops[0].id]}
        assert (await call_from_board(app, "admin", "move_stops", csrf="", **move)).status_code == 403
        assert (
            await call_from_board(app, "admin", "move_stops", csrf=csrf_token_of(app.tokens["rival"]), **move)
        ).status_code == 403
        assert await stops_of(app, here.id) == stop_ids_of(here)
        assert (await call_from_board(app, "admin", "move_stops", **move)).status_code == 200
        assert await stops_of(app, here.id) == stop_ids_of(here)[1:]

    async def test_a_cross_site_query_is_refused(self, app: App) -> None:
        headers = {
            "cookie": session_cookie(app, "admin"),
            "x-csrf": csrf_token_of(app.tokens["admin"]),
            "sec-fetch-site": "cross-site",
        }
        assert (await app.http.post("/dispatch/ask/dispatch_board", content="{}", headers=headers)).status_code == 403

    async def test_only_queries_needed_by_the_board_are_accepted(self, app: App) -> None:
        assert (await call_from_board(app, "admin", "create_user")).status_code == 404
        assert (await call_from_board(app, "admin", "dispatch_board", nothing="at all")).status_code == 422

    async def test_an_oversized_query_is_refused(self, app: App) -> None:
        assert (await call_from_board(app, "admin", "dispatch_board", note="x" * 1_100_000)).status_code == 413

    async def test_a_refusal_is_explained_in_the_readers_language(self, app: App) -> None:
        (route,) = await some_routes(app, 1)
        await app.answer("admin", "lock_route", {"route_id": route.id})
        headers = {
            "cookie": session_cookie(app, "admin"),
            "x-csrf": csrf_token_of(app.tokens["admin"]),
            "accept-language": "de",
        }
        body = json.dumps({"route_id": route.id, "stop_ids": stop_ids_of(route)})
        said = await app.http.post("/dispatch/ask/move_stops", content=body, headers=headers)
        assert said.status_code == 409
        assert said.json()["message"] == app.application.catalogues.translate("de", "route_locked")


class TestTranslations:
    @for_every("language", SUPPORTED_LANGUAGES)
    @for_every("path", ["/dispatch", f"/dispatch/list?day={DAY}"])
    async def test_every_text_is_translated(self, app: App, language: str, path: str) -> None:
        await make_route(app, order_ids=[await make_order(app)])
        page = await get_page(app, path, "admin", headers={"Accept-Language": language})
        assert page.headers["content-language"] == language
        assert "dispatch_page." not in page.text
        assert app.application.catalogues.translate(language, "dispatch_page.title") in page_text(page)

    async def test_scripts_have_every_text_they_use(self, app: App) -> None:
        page = await get_page(app, "/dispatch", "admin")
        words = json.loads(re.search(r'id="words">(.*?)</script>', page.text, re.S)[1])  # type: ignore[index]
        scripts = [await get_page(app, f"/static/{name}") for name in await modules(app)]
        said = {id for script in scripts for id in re.findall(r'\bsay\("(\w+)"', script.text)}
        assert len(said) > 30
        assert said - words.keys() == set()
        assert words["moved"] == "Moved to {route}."


class TestContentPolicy:
    async def test_the_page_has_no_inline_scripts_and_all_assets_exist(self, app: App) -> None:
        page = await get_page(app, "/dispatch", "admin")
        assert "default-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        assert re.findall(r"<script(?![^>]*(?:\bsrc=|application/json))", page.text) == []
        loaded = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
        assert "/static/dispatch.js" in loaded
        assert [path for path in loaded if (await get_page(app, path)).status_code != 200] == []

    async def test_modules_are_small_and_import_only_each_other(self, app: App) -> None:
        for name in await modules(app):
            script = await get_page(app, f"/static/{name}")
            assert script.status_code == 200
            assert script.text.count("\n") < 300
            assert re.findall(r"https?://|\beval\(|innerHTML|new Function", script.text) == []


async def modules(app: App) -> list[str]:
    """The page's scripts, found as a browser finds them."""
    found, left = set[str](), ["dispatch.js"]
    while left:
        name = left.pop()
        found.add(name)
        script = (await get_page(app, f"/static/{name}")).text
        left += [
            each
            for each in re.findall(r'from "\./([\w.-]+)"|import "\./([\w.-]+)"', script)
            for each in each
            if each and each not in found
        ]
    return sorted(found)


class TestDayList:
    async def test_a_day_can_be_read_without_scripts(self, app: App) -> None:
        (route,) = await some_routes(app, 3, name="North")
        await app.answer("admin", "lock_stops", {"route_id": route.id, "stop_ids": [route.stops[1].id]})
        said = page_text(await get_page(app, f"/dispatch/list?day={DAY}", "admin"))
        assert "North" in said
        assert said.count("100 Queen St W") == 3
        assert said.count("locked") == 1
        page = await get_page(app, f"/dispatch?day={DAY}", "admin")
        assert f'<noscript><meta http-equiv="refresh" content="0; url=/dispatch/list?day={DAY}">' in page.text

    async def test_a_delivered_stop_links_to_its_proof(self, app: App) -> None:
        route = await make_started_route(app, [await make_order(app), await make_order(app)])
        await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
        page = await get_page(app, f"/dispatch/list?day={DAY}", "admin")
        (link,) = re.findall(r'href="(/orders/\d+/proof)"', page.text)
        assert link == f"/orders/{route.stops[0].order_id}/proof"
        assert (await get_page(app, link, "admin")).status_code == 200

    async def test_an_invalid_date_shows_today_in_the_business_time_zone(self, app: App) -> None:
        for said in ("nonsense", "2026-02-30", "%00"):
            assert f'data-day="{DAY}"' in (await get_page(app, f"/dispatch?day={said}", "admin")).text

    async def test_completed_stops_are_counted_as_on_the_board(self, app: App) -> None:
        route = await make_started_route(app, await some_orders(app, 3))
        first, second, _ = route.stops
        await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": first.id})
        failure = {"route_id": route.id, "stop_id": second.id, "reason": "recipient_absent", "outcome": "retry"}
        await app.answer("driver", "fail_stop", failure)
        assert "2 of 3 stops done" in page_text(await get_page(app, f"/dispatch/list?day={DAY}", "admin"))
        script = (await get_page(app, "/static/dispatch-state.js")).text
        over = set(re.findall(r'"(\w+)"', re.search(r"const OVER = new Set\((.*?)\)", script)[1]))  # type: ignore[index]
        assert over == {status.value for status in StopStatus if status not in OPEN}

    async def test_manual_routes_have_the_times_calculated_by_the_board(self, app: App) -> None:
        (route,) = await some_routes(app, 1)
        check = (await call_from_board(app, "admin", "check_route_change", route_ids=[route.id])).json()
        (start,) = (stop["start_at"] for stop in check["routes"][0]["stops"])
        page = await get_page(app, f"/dispatch/list?day={DAY}", "admin")
        assert f'<td data-label="Planned"><time datetime="{start}">{start[11:16]}</time></td>' in page.text

    async def test_a_pickup_is_marked_and_every_cell_is_labelled_for_phones(self, app: App) -> None:
        await make_route(app, order_ids=[await make_order(app, type="P2P")])
        page = await get_page(app, f"/dispatch/list?day={DAY}", "admin")
        assert re.search(r'<td data-label="Address">Pickup <span', page.text)
        assert page.text.count("<td") == page.text.count('<td data-label="') == 10
        assert "attr(data-label)" in (await get_page(app, "/static/dispatch.css")).text

    async def test_a_day_without_routes_lists_waiting_orders_and_offers_to_build(self, app: App) -> None:
        path = f"/dispatch/list?day={DAY}"
        assert "Waiting" not in page_text(await get_page(app, path, "admin"))
        await make_order(app)
        listed = await get_page(app, path, "admin")
        assert "Unplanned: 1" in page_text(listed)
        assert f'<a href="/dispatch?day={DAY}">Build routes</a>' in listed.text
        board = await get_page(app, f"/dispatch?day={DAY}", "admin")
        assert '<button type="button" id="build-waiting" hidden>Build routes</button>' in board.text
        assert 'say("no_routes_but_waiting"' in (await get_page(app, "/static/dispatch-panel.js")).text
