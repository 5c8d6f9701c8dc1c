"""The steps of a password reset."""

from typing import Any

from tests.support.app import App

ADA = "ada@demo.example"
OLD, NEW = "correct horse battery", "another long sentence"


async def ask(app: App, email: str) -> Any:
    """Ask for a link."""
    return await app.call(None, "request_password_reset", {"email": email})


async def reset(app: App, token: str, password: str = NEW) -> Any:
    """Set a new password with the token of a link."""
    return await app.call(None, "reset_password", {"token": token, "new_password": password})
