"""The official GraphQL over HTTP audits, including the optional ones."""

import json

from tests.api.mcp.mcp_servers import serve_asgi
from tests.api.node_packages import run_script

from haulier.api.graphql.app import graphql_app
from haulier.kernel.application import Application


async def test_every_official_audit_passes_with_and_without_a_token(application: Application) -> None:
    async with serve_asgi(graphql_app(application)) as base:
        for token in ("", "admin"):
            results = json.loads(await run_script("graphql_audits.mjs", base, token))
            assert len(results) == 61
            assert [each for each in results if each["status"] != "ok"] == []
