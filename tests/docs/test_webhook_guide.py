"""The how-to of webhooks does what it says, against the receiver that it shows."""

from pathlib import Path

from tests.docs.guides import check
from tests.processes.server_process import a_server, an_admin
from tests.support.databases import migrated_file


def test_webhooks_reach_the_receiver_of_the_guide(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    token = an_admin(url)["Authorization"].removeprefix("Bearer ")
    with a_server(tmp_path, url, private_webhooks=1) as server:
        check("docs/how-to/webhooks.md", tmp_path, server.base, {"BASE": server.base, "TOKEN": token})
