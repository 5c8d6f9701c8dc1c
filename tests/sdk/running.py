"""The server of the SDK tests."""

from typing import NamedTuple

import httpx
from tests.processes.server_process import make_admin


class Running(NamedTuple):
    """A server and its database."""

    base: str
    database: str

    def key(self, code: str) -> str:
        """Return the key of an administrator of a new business."""
        return make_admin(self.database, code)["Authorization"].removeprefix("Bearer ")

    def key_for_tests(self, code: str) -> str:
        """Return a test key of an administrator of a new business."""
        asked = {"name": "tests", "profile": "full", "test": True}
        headers = {"Authorization": f"Bearer {self.key(code)}"}
        answer = httpx.post(f"{self.base}/api/v1/tokens", json=asked, headers=headers, timeout=60)
        return str(answer.json()["access_token"])
