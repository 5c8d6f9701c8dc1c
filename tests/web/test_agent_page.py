"""The agent page: ask, review answers and decide, also without scripts."""

from datetime import date
from itertools import product

import httpx
from tests.contexts.control_tower.agent.makers import calls, has_agent, says, with_model
from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_notices, page_text, send_form

from haulier.contexts.control_tower.agent.rules.clerk.wishes import parse_intent
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.web.desk.agent import TRIED

PAGE = "/desk/agent"


async def ask(app: App, text: str, who: str = "admin", path: str = PAGE) -> httpx.Response:
    """Ask through the form, let the background work, and read the page again."""
    sent = await send_form(app, path, who, text=text)
    assert sent.status_code == 303, page_notices(sent)
    await app.work_off()
    return await get_page(app, sent.headers["location"], who)


async def test_a_question_starts_a_conversation_and_its_answer_lists_its_sources(app: App) -> None:
    await has_agent(app)
    order_id = await create_order_as(app, order_ref="A-1")
    empty = page_text(await get_page(app, PAGE, "admin"))
    assert "Ask about today’s operations" in empty
    assert "200 of 200 questions left today" in empty
    page = await ask(app, "Where is A-1?")
    assert Checked(page.text).faults == []
    assert f'<a href="/desk/orders/{order_id}">order A-1</a>' in page.text
    text = page_text(page)
    for shown in ("Where is A-1?", "A-1: new", "Rule-based answer, without a model", "199 of 200 questions left today"):
        assert shown in text
    assert "Where is A-1?" in page_text(await get_page(app, PAGE, "admin"))


async def test_a_proposal_links_to_its_review_and_gives_the_reason(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    page = await ask(app, "hold A-1 because the customer called", "employee")
    (approval,) = (await app.answer("admin", "list_pending_approvals")).approvals
    assert f'href="/mcp-approvals/{approval.id}">Review proposal</a>' in page.text
    text = page_text(page)
    assert "Why did you propose this? You asked: “hold A-1 because the customer called” Sources used:" in text
    assert "the customer called" in text[text.index("Details used:") :]
    await app.answer("admin", "approve_pending_write", {"approval_id": approval.id})
    again = page_text(await get_page(app, page.url.path, "employee"))
    assert f"Proposal {approval.id} Executed" in again
    assert "View result" in again
    assert (await get_page(app, f"/mcp-approvals/{approval.id}", "employee")).status_code == 200


async def test_a_business_without_the_agent_sees_that_it_is_off(app: App) -> None:
    page = await get_page(app, PAGE, "admin")
    for language in SUPPORTED_LANGUAGES:
        refused = await app.call("admin", "list_agent_sessions", {}, accept_language=language)
        page = await get_page(app, f"{PAGE}?lang={language}", "admin")
        assert page.status_code == refused.status == 409
        assert refused.error is not None
        assert refused.error["feature_enabled"] is False
        assert app.application.catalogues.translate(language, "agent_page.off") in page_text(page)
    assert "/desk/act/set_feature?feature=operations_ai_agent" in page.text
    assert "set_feature" not in (await get_page(app, PAGE, "employee")).text
    await has_agent(app)
    assert 'href="/desk/agent"' in (await get_page(app, "/desk", "admin")).text
    assert (await get_page(app, PAGE, "customer")).status_code == 403


async def test_conversations_can_be_listed_ended_and_deleted_only_by_their_owner(app: App) -> None:
    await has_agent(app)
    path = (await ask(app, "help")).url.path
    assert (await get_page(app, path, "employee")).status_code == 404
    assert (await send_form(app, path, "employee", step="delete")).status_code == 404
    assert (await send_form(app, path, "admin", step="end")).status_code == 303
    ended = await get_page(app, path, "admin")
    assert "This conversation has ended" in page_text(ended)
    assert 'id="question"' not in ended.text
    assert (await send_form(app, path, "admin", text="help")).status_code == 409
    assert (await send_form(app, path, "admin", step="delete")).headers["location"] == PAGE
    assert (await get_page(app, path, "admin")).status_code == 404
    assert "No conversations yet." in page_text(await get_page(app, PAGE, "admin"))


async def test_an_error_is_shown_and_the_input_is_kept(app: App) -> None:
    await has_agent(app)
    await app.answer("admin", "set_agent_policy", {"daily_turns": 0})
    refused = await send_form(app, PAGE, "admin", text="Where is A-1?")
    assert refused.status_code == 429
    assert "The daily limit of 0 agent questions is reached" in page_notices(refused)[0]
    assert ">Where is A-1?</textarea>" in refused.text
    assert (await app.answer("admin", "list_agent_sessions")).total == 0
    forged = await send_form(app, PAGE, "admin", text="help", csrf="guessed")
    assert forged.status_code == 403
    assert (await send_form(app, PAGE, "admin", text=" ")).status_code == 422


async def test_a_running_turn_can_be_stopped_by_its_button(app: App) -> None:
    await has_agent(app)
    sent = await send_form(app, PAGE, "admin", text="What is late?")
    path = sent.headers["location"]
    running = await get_page(app, path, "admin")
    turn = (await app.answer("admin", "list_agent_turns", {"agent_session_id": int(path.rpartition("/")[2])})).turns[0]
    assert 'aria-busy="true"' in running.text
    assert "Working …" in page_text(running)
    assert (await send_form(app, path, "admin", step="stop", agent_turn_id=str(turn.id))).status_code == 303
    stopped = await get_page(app, path, "admin")
    assert "Stopped by you." in page_text(stopped)
    assert (await send_form(app, path, "admin", step="stop", agent_turn_id=str(turn.id))).status_code == 409


async def test_model_costs_are_shown_per_turn_and_month(app: App) -> None:
    await has_agent(app)
    with_model(app, says("Nothing is late.", input_tokens=900, output_tokens=100, cost=1234))
    text = page_text(await ask(app, "What is late?"))
    assert "scripted · 1000 tokens · $0.001234" in text
    assert "Questions this month: 1 · $0.001234" in text


async def test_markup_in_answers_questions_and_errors_is_escaped(app: App) -> None:
    await has_agent(app)
    with_model(app, calls(("<b>tool</b>", {})), says("<script>alert(1)</script>"))
    page = await ask(app, "<img src=x onerror=alert(1)>")
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text
    assert "<b>tool" not in page.text


def test_suggested_questions_are_understood_in_every_language() -> None:
    catalogues = Catalogues()
    for language, name in product(SUPPORTED_LANGUAGES, TRIED):
        wish = parse_intent(catalogues.translate(language, f"agent_page.try.{name}"), date(2026, 6, 10), "UTC")
        assert wish is not None, (language, name)
        assert wish.intent == name, language


async def test_a_conversation_can_be_opened_and_searched_from_everywhere(app: App) -> None:
    await has_agent(app)
    session_id = (await ask(app, "help")).url.path.rpartition("/")[2]
    moved = await get_page(app, f"{PAGE}?agent_session_id={session_id}", "admin")
    assert moved.headers["location"] == f"{PAGE}/{session_id}"
    assert (await get_page(app, f"{PAGE}/{session_id}/stream", "employee")).status_code == 204
    found = await get_page(app, "/desk/find?q=agent&part=1", "admin")
    assert '<a href="/desk/agent"><span>Operations agent</span>' in found.text
