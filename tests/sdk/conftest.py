"""Server of the SDK tests, and the generated client libraries."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from scripts.sdk.generate import generate
from tests.processes.server_process import make_admin, make_server
from tests.support.databases import migrated_file

generate()


class Running(NamedTuple):
    """A server and its database."""

    base: str
    database: str

    def key(self, code: str) -> str:
        """Return the key of an administrator of a new business."""
        return make_admin(self.database, code)["Authorization"].removeprefix("Bearer ")


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("sdk")
    url = migrated_file(folder)
    with make_server(folder, url, private_webhooks=1) as server:
        yield Running(server.base, url)
