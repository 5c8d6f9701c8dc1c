"""The steps of an invitation."""

from typing import Any

from tests.support.app import App

MIA = "mia@demo.example"
SECRET = "a long sentence of mine"


async def invited(app: App, **changes: Any) -> Any:
    """An invitation of Mia as an employee."""
    body = {"name": "Mia", "email": MIA, "account": "employee"} | changes
    return (await app.answer("admin", "invite_user", body)).invitation


async def accept(app: App, token: str, **changes: Any) -> Any:
    """Accept an invitation with the token of its link."""
    return await app.call(None, "accept_invitation", {"token": token, "password": SECRET} | changes)
