"""A driver who is signed in on devices, and a password hasher that counts."""

from pwdlib import PasswordHash
from tests.support.app import App

SECRET = "correct horse battery"


async def ben(app: App, *devices: str) -> int:
    """Create a driver with a session per device, named like it; return the user id."""
    user = {"name": "Ben", "email": "ben@demo.example", "account": "driver", "password": SECRET}
    user_id = (await app.answer("admin", "create_user", user)).user.id
    for device in devices:
        session = await app.answer(None, "login", {"email": user["email"], "password": SECRET, "device": device})
        app.tokens[device] = session.access_token
    return user_id


class CountingHasher:
    """A hasher that counts its checks."""

    def __init__(self, real: PasswordHash) -> None:
        self._real = real
        self.verified = 0

    def verify_and_update(self, password: str, kept: str) -> tuple[bool, str | None]:
        self.verified += 1
        return self._real.verify_and_update(password, kept)

    def hash(self, password: str) -> str:
        return self._real.hash(password)
