"""Retention of sessions by setting, and erasure of personal data."""

from tests.contexts.control_tower.agent.makers import asked, has_agent, make_session, table_rows
from tests.contexts.control_tower.personal_data.makers import erased
from tests.contexts.control_tower.retention.makers import make_new_token, make_round
from tests.support.app import App


async def test_conversations_are_deleted_after_retention(app: App) -> None:
    await has_agent(app)
    await asked(app, "help")
    app.clock.forward(days=89)
    await make_round(app)
    assert len(await table_rows(app, "agent_turn")) == 1
    app.clock.forward(days=2)
    await make_new_token(app)
    await make_round(app)
    for table in ("agent_session", "agent_turn", "agent_event"):
        assert await table_rows(app, table) == []


async def test_erasing_a_person_removes_them_from_transcripts(app: App) -> None:
    await has_agent(app)
    email = "quill@ravenscroft.example"
    session_id = await make_session(app)
    await asked(app, f"Where is the parcel for {email}?", session_id=session_id)
    await asked(app, "help", session_id=session_id)
    await erased(app, email=email)
    turns = await table_rows(app, "agent_turn")
    assert [row.question for row in turns] == ["[erased]", "help"]
    kept = str(turns) + str(await table_rows(app, "agent_event")) + str(await table_rows(app, "agent_session"))
    assert email not in kept
