"""Steps of test mode: tokens of the test business, and what they see."""

from typing import Any

from tests.support.app import App

from haulier.contexts.identity.public import get_client_id_by_code


async def open_test_mode(app: App, who: str = "admin", name: str = "test", **words: Any) -> str:
    """Issue a test token to a user and return the name to call with."""
    asked = {"name": name, "profile": "full", "test": True, **words}
    app.tokens[name] = (await app.answer(who, "issue_api_token", asked)).access_token
    return name


async def client_id_of_tests(app: App) -> int:
    """Return the id of the test business of the client `demo`."""
    code = f"demo-test-{app.clients['demo']}"
    async with app.database.read(None) as work:
        found = await get_client_id_by_code(work, code)
    assert found is not None
    return found
