"""Without a model, the clerk answers common questions and proposes changes.

It works offline, in six languages.
"""

import pytest
from tests.contexts.control_tower.agent.makers import asked, has_agent, make_session
from tests.contexts.control_tower.approvals.makers import create_order_as, status_of
from tests.support.app import App

LATE = {
    "en": "What is late?",
    "de": "Was ist verspätet?",
    "fr": "Qu'est-ce qui est en retard ?",
    "es": "¿Qué va retrasado?",
    "zh-Hans": "哪些延误了？",
    "zh-Hant": "哪些延誤了？",
}
HOLD = {
    "en": "please hold A-1 because the customer called",
    "de": "Bitte halte A-1 an, weil der Kunde anrief",
    "fr": "Suspends A-1 parce que le client a appelé",
    "es": "Retén A-1 porque llamó el cliente",
    "zh-Hans": "请暂停A-1",
    "zh-Hant": "請暫停A-1",
}


async def test_the_status_of_an_order_is_found_by_reference_number_and_name(app: App) -> None:
    await has_agent(app)
    order_id = await create_order_as(app, order_ref="A-1")
    number = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.tracking_number
    for question in ("Where is A-1?", f"status of {number.lower()}", "A-1", "where is the parcel for Ada?"):
        answered = await asked(app, question)
        assert answered.turn.status == "done", question
        assert "A-1: " in answered.turn.reply, question
        assert "100 Queen St W" in answered.turn.reply, question
    assert answered.turn.model == "clerk"


@pytest.mark.parametrize("language", LATE)
async def test_late_orders_are_queried_in_six_languages(app: App, language: str) -> None:
    await has_agent(app)
    window = {"window_start": "2026-06-10T08:00:00Z", "window_end": "2026-06-10T09:00:00Z"}
    await create_order_as(app, order_ref="A-1", **window)
    answered = await asked(app, LATE[language], accept_language=language)
    head, line = answered.turn.reply.split("\n")
    assert head.endswith("1")
    assert "A-1" in line
    assert head == app.application.catalogues.translate(language, "agent_clerk_late", n=1)


@pytest.mark.parametrize("language", HOLD)
async def test_a_hold_is_proposed_and_not_executed_in_six_languages(app: App, language: str) -> None:
    await has_agent(app)
    order_id = await create_order_as(app, order_ref="A-1")
    answered = await asked(app, HOLD[language], accept_language=language)
    assert [proposal.operation for proposal in answered.proposals] == ["hold_order"]
    assert str(answered.proposals[0].approval_id) in answered.turn.reply
    assert await status_of(app, order_id) == "NEW_ORDER"
    waiting = (await app.answer("admin", "list_pending_approvals")).approvals
    assert [(each.operation, each.arguments["order_id"]) for each in waiting] == [("hold_order", order_id)]


async def test_a_proposal_is_executed_when_another_user_approves_it(app: App) -> None:
    await has_agent(app)
    order_id = await create_order_as(app, order_ref="A-1")
    answered = await asked(app, "hold A-1", who="employee")
    approval = {"approval_id": answered.proposals[0].approval_id}
    await app.answer("admin", "approve_pending_write", approval)
    assert await status_of(app, order_id) == "HOLD"


@pytest.mark.parametrize(
    ("question", "operation"),
    [
        ("cancel A-1", "cancel_order"),
        ("note on A-1: ring twice", "update_order_note"),
        ("reschedule A-1 to tomorrow 14:00-16:00", "reschedule_orders"),
        ("verschiebe A-1 auf 2026-06-12", "reschedule_orders"),
    ],
)
async def test_other_requested_changes_become_proposals(app: App, question: str, operation: str) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    answered = await asked(app, question)
    assert [proposal.operation for proposal in answered.proposals] == [operation], answered.turn.reply


async def test_questions_about_the_day_routes_and_approvals_are_answered(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    session = await make_session(app)
    for question in ("How is the day?", "which routes run today?", "what waits for approval?", "what is unplanned?"):
        answered = await asked(app, question, session_id=session)
        assert answered.turn.status == "done"
        assert answered.turn.reply, question
    assert "A-1" in answered.turn.reply


async def test_an_unknown_request_is_reported_as_not_understood(app: App) -> None:
    await has_agent(app)
    say = app.application.catalogues.translate
    for text in ("Give me the moon.", "cancel A-1 and A-2", "cancel everything"):
        assert (await asked(app, text)).turn.reply == say("en", "agent_clerk_not_understood"), text
    assert (await asked(app, "help")).turn.reply == say("en", "agent_clerk_help")
    assert (await asked(app, "hold A-77")).turn.reply == say("en", "agent_clerk_not_found", subject="A-77")


async def test_a_change_requires_the_exact_name_of_one_order(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-10")
    answered = await asked(app, "hold A-1")
    assert answered.proposals == []
    assert answered.turn.reply == app.application.catalogues.translate("en", "agent_clerk_not_found", subject="A-1")
