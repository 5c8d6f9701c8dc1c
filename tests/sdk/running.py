"""The server of the SDK tests."""

from typing import NamedTuple

from tests.processes.server_process import make_admin


class Running(NamedTuple):
    """A server and its database."""

    base: str
    database: str

    def key(self, code: str) -> str:
        """Return the key of an administrator of a new business."""
        return make_admin(self.database, code)["Authorization"].removeprefix("Bearer ")
