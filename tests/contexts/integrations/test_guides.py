"""The integration guide runs as written: every step responds with its values."""

import re
from typing import Any

from msgspec import UNSET
from tests.support.app import PASSWORD, App


async def someone_new(app: App) -> dict[str, Any]:
    """An employee with a password."""
    email = "employee@demo.example"
    asked = {"user_id": app.ids["employee"], "password": PASSWORD}
    await app.answer("admin", "set_user_password", asked)
    return {"email": email, "password": PASSWORD}


def filled(value: Any, known: dict[str, Any]) -> Any:
    """Replace every `{name}` in a value; a text of only a name becomes its value."""
    if isinstance(value, dict):
        return {key: filled(part, known) for key, part in value.items()}
    if isinstance(value, str):
        if (whole := re.fullmatch(r"\{(\w+)\}", value)) and whole[1] in known:
            return known[whole[1]]
        return re.sub(r"\{(\w+)\}", lambda found: str(known.get(found[1], found[0])), value)
    return value


def taken(document: Any, path: str) -> Any:
    for part in path.split("."):
        document = document[part]
    return document


async def test_every_step_works_as_documented(app: App) -> None:
    known = await someone_new(app)
    guide = await app.answer(None, "get_integration_guide")
    bodies: list[Any] = []
    for step in guide.steps:
        body = None if step.body is UNSET else filled(step.body, known)
        url, headers = filled(step.url, known), filled(step.headers, known)
        answer = await app.http.request(step.method, url, headers=headers, json=body)
        assert answer.status_code in (200, 201, 202), (step.title, answer.text)
        bodies.append(answer.json())
        known.update({name: taken(bodies[-1], path) for name, path in (step.remember or {}).items()})
    told = {step.title: body for step, body in zip(guide.steps, bodies, strict=True)}
    assert told["Try a write without doing it"]["dry_run"] is True
    assert told["Let a human decide"]["queued"] is True
    assert told["Ask for the same in GraphQL"]["data"]["order"]["order"]["status"] == "NEW_ORDER"


async def test_the_guide_contains_every_step(app: App) -> None:
    guide = await app.answer(None, "get_integration_guide")
    assert all(step.title in guide.text and step.url in guide.text for step in guide.steps)
