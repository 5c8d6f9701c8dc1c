"""The approvals page: reviewers preview and decide; proposers can withdraw."""

import re
from typing import Any

from tests.contexts.control_tower.approvals.makers import THERE, create_order_as, make_proposal, status_of
from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.page_client import button_ids, get_page, page_notices, page_text, send_form

from haulier.contexts.control_tower.approvals.contract import QueuedWrite
from haulier.kernel.operations.enums import Risk
from haulier.web.session import csrf_token_of


def tag(html: str) -> str:
    return re.search(r'name="preview_tag" value="(\w+)"', html)[1]  # type: ignore[index]


def listed(html: str) -> list[int]:
    return [int(id) for id in re.findall(r'<li><a href="/mcp-approvals/(\d+)', html)]


async def decide(app: App, who: str, id: int, verb: str, **fields: str) -> Any:
    shown = await get_page(app, f"/mcp-approvals/{id}", who)
    return await send_form(app, f"/mcp-approvals/{id}/{verb}", who, preview_tag=tag(shown.text), **fields)


class TestContents:
    async def test_an_approval_shows_proposer_change_reason_and_time(self, app: App) -> None:
        order_id = await create_order_as(app)
        arguments = {"order_id": order_id, "reason": "The paint is wet"}
        approval = await make_proposal(app, arguments=arguments, note="<b>Please</b>")
        app.clock.forward(minutes=5)
        page = await get_page(app, f"/mcp-approvals/{approval.id}", "admin", headers={"Accept-Language": "en"})
        said = page_text(page)
        for words in (
            "Hold order",
            "Employee",
            "5 minutes ago",
            "in 3 days",
            "High risk",
            "The paint is wet",
            "Pending",
        ):
            assert words in said
        assert "&lt;b&gt;Please&lt;/b&gt;" in page.text
        assert page.headers["cache-control"] == "no-store"

    async def test_every_changed_record_is_shown_before_and_after(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        html = (await get_page(app, f"/mcp-approvals/{approval.id}", "admin")).text
        assert f"Delivery order {order_id}" in html
        assert "<del>new</del><ins>on hold</ins>" in html

    async def test_changes_are_named_in_the_readers_language(self, app: App) -> None:
        approval = await make_proposal(app)
        html = (await get_page(app, f"/mcp-approvals/{approval.id}", "admin", headers={"Accept-Language": "de"})).text
        assert "<dt>Schritt</dt>" in html
        assert "Step</dt>" not in html

    async def test_new_records_are_grouped_and_emails_listed(self, app: App) -> None:
        orders = [{"consignee": THERE, "order_ref": f"B-{n}"} for n in range(2)]
        made = await make_proposal(app, tool="bulk_create_orders", arguments={"orders": orders})
        assert "Delivery order × 2 new" in page_text(await get_page(app, f"/mcp-approvals/{made.id}", "admin"))
        later = await make_proposal(app, "admin", tool="bulk_create_orders_async", arguments={"orders": orders})
        assert "Orders batch" in page_text(await get_page(app, f"/mcp-approvals/{later.id}", "employee"))

    async def test_names_are_words_and_units_are_separate(self, app: App) -> None:
        asked = {"consignee": THERE, "packages": [{"weight_g": 2300}]}
        made = await make_proposal(app, tool="create_order", arguments=asked)
        assert "Weight 2.3 kg" in page_text(await get_page(app, f"/mcp-approvals/{made.id}", "admin"))
        order_id = await create_order_as(app)
        gone = await make_proposal(app, tool="cancel_order", arguments={"order_id": order_id})
        said = page_text(await get_page(app, f"/mcp-approvals/{gone.id}", "admin"))
        assert "Cancel reservation of order · Order cancelled" in said
        assert "Haulier contexts" not in said

    async def test_the_list_is_shown_beside_its_first_approval(self, app: App) -> None:
        ids = [(await make_proposal(app)).id for _ in range(2)]
        page = await get_page(app, "/mcp-approvals", "admin")
        assert listed(page.text) == ids[::-1]
        assert f'id="proposal" data-id="{ids[1]}"' in page.text

    async def test_an_empty_list_is_explained(self, app: App) -> None:
        page = await get_page(app, "/mcp-approvals", "admin", headers={"Accept-Language": "de"})
        assert "Nichts freizugeben" in page_text(page)

    @for_every("language", ["en", "fr", "de", "es", "zh-Hans", "zh-Hant"])
    async def test_every_text_of_the_page_is_translated(self, app: App, language: str) -> None:
        approval = await make_proposal(app)
        await make_proposal(app, "admin")
        asked = {"Accept-Language": language}
        for path in (f"/mcp-approvals/{approval.id}", "/mcp-approvals", "/mcp-approvals?status=expired"):
            page = await get_page(app, path, "admin", headers=asked)
            assert re.findall(r"\b(?:review|page|sign_in|approval)[._][a-z_]{3,}\b(?!\")", page_text(page)) == []

    async def test_an_invalid_url_shows_the_first_page_of_pending_approvals(self, app: App) -> None:
        approval = await make_proposal(app)
        page = await get_page(app, "/mcp-approvals?status=x&page=²&mine=maybe", "admin")
        assert listed(page.text) == [approval.id]

    async def test_an_unknown_approval_is_not_found(self, app: App) -> None:
        assert (await get_page(app, "/mcp-approvals/999", "admin")).status_code == 404


class TestDeciding:
    async def test_approving_runs_the_write_and_shows_the_result(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        response = await decide(app, "admin", approval.id, "approve", note="fine by me")
        assert (response.status_code, response.headers["location"]) == (303, f"/mcp-approvals/{approval.id}")
        assert await status_of(app, order_id) == "HOLD"
        page = await get_page(app, response.headers["location"], "admin")
        assert "Approved by Admin and executed" in page_text(page)
        assert "fine by me" in page_notices(page)[0]
        assert button_ids(page) == []
        assert listed((await get_page(app, "/mcp-approvals?status=executed", "admin")).text) == [approval.id]

    async def test_rejecting_records_the_reason_and_the_write_never_runs(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        await decide(app, "admin", approval.id, "reject", note="not today")
        assert await status_of(app, order_id) == "NEW_ORDER"
        page = await get_page(app, f"/mcp-approvals/{approval.id}", "employee")
        assert "Rejected by Admin" in page_notices(page)[0]
        assert "not today" in page_notices(page)[0]

    async def test_a_write_with_a_changed_effect_is_shown_again_first(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, tool="update_order_note", arguments={"order_id": order_id, "note": "new"})
        await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "between"})
        response = await decide(app, "admin", approval.id, "approve", note="my reason")
        assert response.status_code == 409
        assert "effects now differ from the preview" in page_notices(response)[0]
        assert ">my reason</textarea>" in response.text
        await decide(app, "admin", approval.id, "renew")
        page = await get_page(app, f"/mcp-approvals/{approval.id}", "admin")
        assert "<del>between</del><ins>new</ins>" in page.text
        assert (await decide(app, "admin", approval.id, "approve")).status_code == 303

    async def test_a_preview_renewed_by_another_reviewer_must_be_reviewed(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, tool="update_order_note", arguments={"order_id": order_id, "note": "new"})
        old = tag((await get_page(app, f"/mcp-approvals/{approval.id}", "admin")).text)
        await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "between"})
        await app.answer("employee", "renew_pending_write", {"approval_id": approval.id})
        response = await send_form(app, f"/mcp-approvals/{approval.id}/approve", "admin", preview_tag=old)
        assert response.status_code == 409

    @for_every("mark", ["", "x", csrf_token_of("hlsession_other")])
    async def test_a_cross_site_form_decides_nothing(self, app: App, mark: str) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        response = await send_form(app, f"/mcp-approvals/{approval.id}/approve", "admin", csrf=mark)
        assert response.status_code == 403
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_deciding_requires_a_session_and_a_known_decision(self, app: App) -> None:
        approval = await make_proposal(app)
        response = await send_form(app, f"/mcp-approvals/{approval.id}/approve")
        assert response.headers["location"] == f"/sign-in?next=/mcp-approvals/{approval.id}"
        assert (await send_form(app, f"/mcp-approvals/{approval.id}/destroy", "admin")).status_code == 403


class TestVisibility:
    async def test_the_proposer_can_withdraw_but_not_approve(self, app: App) -> None:
        approval = await make_proposal(app)
        page = await get_page(app, f"/mcp-approvals/{approval.id}", "employee")
        assert button_ids(page) == ["renew", "withdraw"]
        assert "You cannot approve your own proposal" in page_text(page)
        await decide(app, "employee", approval.id, "withdraw", note="changed my mind")
        after = await get_page(app, f"/mcp-approvals/{approval.id}", "admin")
        assert "Withdrawn by Employee" in page_notices(after)[0]

    async def test_self_approval_is_possible_where_the_client_allows_it(self, app: App) -> None:
        await app.answer("admin", "set_approval_policy", {"own_allowed": True})
        approval = await make_proposal(app)
        page = await get_page(app, f"/mcp-approvals/{approval.id}", "employee")
        assert button_ids(page) == ["renew", "approve", "withdraw"]

    async def test_other_reviewers_can_approve_or_reject(self, app: App) -> None:
        approval = await make_proposal(app)
        assert button_ids(await get_page(app, f"/mcp-approvals/{approval.id}", "admin")) == [
            "renew",
            "approve",
            "reject",
        ]

    async def test_customers_see_and_withdraw_their_own_without_records(self, app: App) -> None:
        theirs = await make_proposal(app)
        order_id = await create_order_as(app, "customer")
        asked = await app.call("customer", "cancel_order", {"order_id": order_id}, approval_from=Risk.HIGH)
        assert isinstance(asked.answer, QueuedWrite)
        id = asked.answer.approval.id
        page = await get_page(app, "/mcp-approvals", "customer")
        assert listed(page.text) == [id]
        assert button_ids(page) == ["renew", "withdraw"]
        assert "Delivery order" not in page.text
        assert (await get_page(app, f"/mcp-approvals/{theirs.id}", "customer")).status_code == 404
        assert (await decide(app, "customer", id, "withdraw")).status_code == 303
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_another_clients_users_find_no_approvals(self, app: App) -> None:
        approval = await make_proposal(app)
        assert listed((await get_page(app, "/mcp-approvals", "rival")).text) == []
        assert (await get_page(app, f"/mcp-approvals/{approval.id}", "rival")).status_code == 404
        response = await send_form(app, f"/mcp-approvals/{approval.id}/approve", "rival")
        assert response.status_code == 404

    async def test_the_list_can_be_limited_to_ones_own(self, app: App) -> None:
        await make_proposal(app)
        mine = await make_proposal(app, "admin")
        assert listed((await get_page(app, "/mcp-approvals?mine=true", "admin")).text) == [mine.id]


async def test_the_page_has_a_constant_cost(app: App) -> None:
    costs: list[int] = []
    for _ in range(2):
        await make_proposal(app)
        before = app.statements
        await get_page(app, "/mcp-approvals", "admin")
        costs.append(app.statements - before)
    assert costs[0] == costs[1]
