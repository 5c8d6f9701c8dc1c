"""An agent in a browser, and the metadata document of one that publishes itself."""

import json
from typing import Any

from tests.support.app import App
from tests.web.oauth.scripted_agent import ScriptedAgent, create_person

from haulier.contexts.oauth.ports import AgentDocumentRefused

ADDRESS = "https://agents.example/about.json"
SECRET = "correct horse battery"


async def ann(app: App) -> ScriptedAgent:
    """An agent in Ann's browser. Ann is signed in as `ann`."""
    await create_person(app)
    agent = ScriptedAgent(app)
    await agent.sign_in()
    await agent.register()
    login = await app.rest(None, "POST", "/v1/user/login", {"email": "ann@demo.example", "password": SECRET})
    app.tokens["ann"] = login.json()["access_token"]
    app.ids["ann"] = login.json()["user"]["id"]
    return agent


class Documents:
    """Metadata documents by address; records which were fetched."""

    def __init__(self, documents: dict[str, bytes]) -> None:
        self.documents = documents
        self.asked: list[str] = []

    async def fetch(self, url: str) -> bytes:
        self.asked.append(url)
        if url not in self.documents:
            raise AgentDocumentRefused("no document")
        return self.documents[url]


def make_document(**changes: Any) -> bytes:
    """The document of an agent; what is changed to None is left out."""
    document = {
        "client_id": ADDRESS,
        "client_name": "Desk assistant",
        "redirect_uris": ["http://127.0.0.1/back"],
        **changes,
    }
    return json.dumps({name: value for name, value in document.items() if value is not None}).encode()
