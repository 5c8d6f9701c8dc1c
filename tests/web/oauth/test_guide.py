"""The guide to connecting an agent shows what really comes out."""

from pathlib import Path

from tests.docs.guides import check
from tests.processes.server_process import a_server
from tests.support.databases import migrated_file


def test_the_guide_shows_what_an_agent_meets(tmp_path: Path) -> None:
    with a_server(tmp_path, migrated_file(tmp_path)) as server:
        check("docs/how-to/connect-an-agent.md", tmp_path, server.base, {"BASE": server.base})
