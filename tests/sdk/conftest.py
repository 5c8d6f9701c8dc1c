"""Server of the SDK tests, and the generated client libraries."""

from collections.abc import Iterator

import pytest
from scripts.sdk.generate import generate
from tests.processes.server_process import make_server
from tests.sdk.running import Running
from tests.support.databases import migrated_file

generate()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("sdk")
    url = migrated_file(folder)
    with make_server(folder, url, private_webhooks=1) as server:
        yield Running(server.base, url)
