"""The guide to admitting drivers does what it says."""

from pathlib import Path

from tests.docs.guides import check
from tests.processes.server_process import make_admin, make_server, query_rows
from tests.support.databases import migrated_file


def test_the_driver_guide_registers_a_driver_and_stores_their_documents(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    token = make_admin(url)["Authorization"].removeprefix("Bearer ")
    ((code,),) = query_rows(url, "SELECT code FROM client")
    with make_server(tmp_path, url) as server:
        check("docs/deliver/drivers.md", tmp_path, server.base, {"BASE": server.base, "CODE": code, "TOKEN": token})
