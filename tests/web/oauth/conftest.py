"""A person who is signed in at the pages, and an agent that is registered."""

import pytest
from tests.support.app import App
from tests.web.oauth.scripted_agent import ScriptedAgent, create_person


@pytest.fixture
async def agent(app: App) -> ScriptedAgent:
    """An agent in the browser of Ann, an employee of the demo client."""
    await create_person(app)
    agent = ScriptedAgent(app)
    await agent.sign_in()
    await agent.register()
    return agent
