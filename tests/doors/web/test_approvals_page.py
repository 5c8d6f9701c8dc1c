"""The approvals page: whoever may decide sees what would change and decides; whoever proposed sees theirs and may withdraw."""

import re
from typing import Any

import pytest
from tests.app import App
from tests.contexts.access.approvals.makers import THERE, a_proposal, an_order, status_of
from tests.doors.web.reading import buttons, notices, send, text, visit

from haulier.doors.web.session import csrf_of


def tag(html: str) -> str:
    return re.search(r'name="preview_tag" value="(\w+)"', html)[1]  # type: ignore[index]


def listed(html: str) -> list[int]:
    return [int(id) for id in re.findall(r'<li><a href="/mcp-approvals/(\d+)', html)]


async def decide(app: App, who: str, id: int, verb: str, **fields: str) -> Any:
    shown = await visit(app, f"/mcp-approvals/{id}", who)
    return await send(app, f"/mcp-approvals/{id}/{verb}", who, preview_tag=tag(shown.text), **fields)


class TestWhatIsShown:
    async def test_who_what_why_and_when(self, app: App) -> None:
        order_id = await an_order(app)
        arguments = {"order_id": order_id, "reason": "The paint is wet"}
        approval = await a_proposal(app, arguments=arguments, note="<b>Please</b>")
        app.clock.forward(minutes=5)
        page = await visit(app, f"/mcp-approvals/{approval.id}", "admin", headers={"Accept-Language": "en"})
        said = text(page)
        for words in (
            "Hold an order",
            "Employee",
            "5 minutes ago",
            "in 3 days",
            "High risk",
            "The paint is wet",
            "Waiting",
        ):
            assert words in said
        assert "&lt;b&gt;Please&lt;/b&gt;" in page.text
        assert page.headers["cache-control"] == "no-store"

    async def test_every_changed_record_before_and_after(self, app: App) -> None:
        order_id = await an_order(app)
        approval = await a_proposal(app, arguments={"order_id": order_id})
        html = (await visit(app, f"/mcp-approvals/{approval.id}", "admin")).text
        assert f"Delivery order {order_id}" in html
        assert "<del>NEW_ORDER</del><ins>HOLD</ins>" in html

    async def test_new_records_stand_together_and_letters_are_told(self, app: App) -> None:
        orders = [{"consignee": THERE, "order_ref": f"B-{n}"} for n in range(2)]
        made = await a_proposal(app, tool="bulk_create_orders", arguments={"orders": orders})
        assert "Delivery order × 2 new" in text(await visit(app, f"/mcp-approvals/{made.id}", "admin"))
        later = await a_proposal(app, "admin", tool="bulk_create_orders_async", arguments={"orders": orders})
        assert "Orders batch" in text(await visit(app, f"/mcp-approvals/{later.id}", "employee"))

    async def test_names_are_words_and_units_stand_apart(self, app: App) -> None:
        asked = {"consignee": THERE, "packages": [{"weight_g": 2300}]}
        made = await a_proposal(app, tool="create_order", arguments=asked)
        assert "Weight (g) 2300" in text(await visit(app, f"/mcp-approvals/{made.id}", "admin"))
        order_id = await an_order(app)
        gone = await a_proposal(app, tool="cancel_order", arguments={"order_id": order_id})
        said = text(await visit(app, f"/mcp-approvals/{gone.id}", "admin"))
        assert "Forget cancelled order · Order cancelled" in said
        assert "Haulier contexts" not in said

    async def test_the_list_stands_beside_its_first(self, app: App) -> None:
        ids = [(await a_proposal(app)).id for _ in range(2)]
        page = await visit(app, "/mcp-approvals", "admin")
        assert listed(page.text) == ids[::-1]
        assert f'id="proposal" data-id="{ids[1]}"' in page.text

    async def test_nothing_waits_and_says_so(self, app: App) -> None:
        page = await visit(app, "/mcp-approvals", "admin", headers={"Accept-Language": "de"})
        assert "Nichts wartet" in text(page)

    @pytest.mark.parametrize("language", ["en", "fr", "de", "es", "zh-Hans", "zh-Hant"])
    async def test_every_word_of_it_has_a_translation(self, app: App, language: str) -> None:
        approval = await a_proposal(app)
        await a_proposal(app, "admin")
        asked = {"Accept-Language": language}
        for path in (f"/mcp-approvals/{approval.id}", "/mcp-approvals", "/mcp-approvals?status=expired"):
            page = await visit(app, path, "admin", headers=asked)
            assert re.findall(r"\b(?:review|page|sign_in|approval)[._][a-z_]{3,}\b(?!\")", text(page)) == []

    async def test_a_strange_address_shows_the_first_page_of_what_waits(self, app: App) -> None:
        approval = await a_proposal(app)
        page = await visit(app, "/mcp-approvals?status=x&page=²&mine=maybe", "admin")
        assert listed(page.text) == [approval.id]

    async def test_what_is_not_there_is_not_found(self, app: App) -> None:
        assert (await visit(app, "/mcp-approvals/999", "admin")).status_code == 404


class TestDeciding:
    async def test_approving_runs_it_and_shows_what_came_of_it(self, app: App) -> None:
        order_id = await an_order(app)
        approval = await a_proposal(app, arguments={"order_id": order_id})
        response = await decide(app, "admin", approval.id, "approve", note="fine by me")
        assert (response.status_code, response.headers["location"]) == (303, f"/mcp-approvals/{approval.id}")
        assert await status_of(app, order_id) == "HOLD"
        page = await visit(app, response.headers["location"], "admin")
        assert "Approved by Admin and carried out" in text(page)
        assert "fine by me" in notices(page)[0]
        assert buttons(page) == []
        assert listed((await visit(app, "/mcp-approvals?status=executed", "admin")).text) == [approval.id]

    async def test_rejecting_tells_why_and_it_never_runs(self, app: App) -> None:
        order_id = await an_order(app)
        approval = await a_proposal(app, arguments={"order_id": order_id})
        await decide(app, "admin", approval.id, "reject", note="not today")
        assert await status_of(app, order_id) == "NEW_ORDER"
        page = await visit(app, f"/mcp-approvals/{approval.id}", "employee")
        assert "Rejected by Admin" in notices(page)[0]
        assert "not today" in notices(page)[0]

    async def test_what_would_do_something_else_by_now_is_shown_again_first(self, app: App) -> None:
        order_id = await an_order(app)
        approval = await a_proposal(app, tool="update_order_note", arguments={"order_id": order_id, "note": "new"})
        await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "between"})
        response = await decide(app, "admin", approval.id, "approve", note="my reason")
        assert response.status_code == 409
        assert "something else than was shown" in notices(response)[0]
        assert ">my reason</textarea>" in response.text
        await decide(app, "admin", approval.id, "renew")
        page = await visit(app, f"/mcp-approvals/{approval.id}", "admin")
        assert "<del>between</del><ins>new</ins>" in page.text
        assert (await decide(app, "admin", approval.id, "approve")).status_code == 303

    async def test_what_another_reviewer_renewed_has_to_be_looked_at_by_this_one(self, app: App) -> None:
        order_id = await an_order(app)
        approval = await a_proposal(app, tool="update_order_note", arguments={"order_id": order_id, "note": "new"})
        old = tag((await visit(app, f"/mcp-approvals/{approval.id}", "admin")).text)
        await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "between"})
        await app.answer("employee", "renew_pending_write", {"approval_id": approval.id})
        response = await send(app, f"/mcp-approvals/{approval.id}/approve", "admin", preview_tag=old)
        assert response.status_code == 409

    @pytest.mark.parametrize("mark", ["", "x", csrf_of("hlsession_other")])
    async def test_a_form_of_another_page_decides_nothing(self, app: App, mark: str) -> None:
        order_id = await an_order(app)
        approval = await a_proposal(app, arguments={"order_id": order_id})
        response = await send(app, f"/mcp-approvals/{approval.id}/approve", "admin", csrf=mark)
        assert response.status_code == 403
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_nobody_decides_without_a_session_or_by_an_unknown_word(self, app: App) -> None:
        approval = await a_proposal(app)
        response = await send(app, f"/mcp-approvals/{approval.id}/approve")
        assert response.headers["location"] == f"/sign-in?next=/mcp-approvals/{approval.id}"
        assert (await send(app, f"/mcp-approvals/{approval.id}/destroy", "admin")).status_code == 403


class TestWhoSeesWhich:
    async def test_whoever_proposed_may_withdraw_but_not_approve(self, app: App) -> None:
        approval = await a_proposal(app)
        page = await visit(app, f"/mcp-approvals/{approval.id}", "employee")
        assert buttons(page) == ["renew", "withdraw"]
        assert "Somebody else has to approve" in text(page)
        await decide(app, "employee", approval.id, "withdraw", note="changed my mind")
        after = await visit(app, f"/mcp-approvals/{approval.id}", "admin")
        assert "Withdrawn by Employee" in notices(after)[0]

    async def test_where_the_client_allows_it_one_may_approve_ones_own(self, app: App) -> None:
        await app.answer("admin", "set_approval_policy", {"own_allowed": True})
        approval = await a_proposal(app)
        page = await visit(app, f"/mcp-approvals/{approval.id}", "employee")
        assert buttons(page) == ["renew", "approve", "withdraw"]

    async def test_others_may_approve_or_reject(self, app: App) -> None:
        approval = await a_proposal(app)
        assert buttons(await visit(app, f"/mcp-approvals/{approval.id}", "admin")) == ["renew", "approve", "reject"]

    async def test_customers_see_and_withdraw_their_own_and_no_records(self, app: App) -> None:
        theirs = await a_proposal(app)
        order_id = await an_order(app, "customer")
        asked = await app.call("customer", "cancel_order", {"order_id": order_id}, ask_a_human=True)
        id = asked.answer.approval.id
        page = await visit(app, "/mcp-approvals", "customer")
        assert listed(page.text) == [id]
        assert buttons(page) == ["renew", "withdraw"]
        assert "Delivery order" not in page.text
        assert (await visit(app, f"/mcp-approvals/{theirs.id}", "customer")).status_code == 404
        assert (await decide(app, "customer", id, "withdraw")).status_code == 303
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_another_clients_people_find_nothing(self, app: App) -> None:
        approval = await a_proposal(app)
        assert listed((await visit(app, "/mcp-approvals", "rival")).text) == []
        assert (await visit(app, f"/mcp-approvals/{approval.id}", "rival")).status_code == 404
        response = await send(app, f"/mcp-approvals/{approval.id}/approve", "rival")
        assert response.status_code == 404

    async def test_only_mine(self, app: App) -> None:
        await a_proposal(app)
        mine = await a_proposal(app, "admin")
        assert listed((await visit(app, "/mcp-approvals?mine=true", "admin")).text) == [mine.id]


async def test_the_page_costs_the_same_however_long_the_list_is(app: App) -> None:
    costs: list[int] = []
    for _ in range(2):
        await a_proposal(app)
        before = app.statements
        await visit(app, "/mcp-approvals", "admin")
        costs.append(app.statements - before)
    assert costs[0] == costs[1]
