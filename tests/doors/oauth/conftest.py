"""A person who is signed in at the pages, and an agent that is registered."""

import pytest
from tests.app import App
from tests.doors.oauth.agent import Agent, a_person


@pytest.fixture
async def agent(app: App) -> Agent:
    """An agent in the browser of Ann, an employee of the demo client."""
    await a_person(app)
    agent = Agent(app)
    await agent.sign_in()
    await agent.register()
    return agent
