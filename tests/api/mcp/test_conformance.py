"""The official conformance suite, with every check for servers with tools.

The suite calls tools, resources and prompts by its own names. Those with a counterpart in Haulier are added to the real
ones (`suite_fixtures.py`). For the others, `conformance.toml` states the reason.
"""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.api.mcp.mcp_servers import serve_mcp
from tests.api.mcp.suite_fixtures import suite_application, suite_features
from tests.api.node_packages import installed_packages, run_script

from haulier.kernel.application import Application

SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
EXEMPT: dict[str, list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_name("conformance.toml").read_text())


@pytest.fixture
async def base(application: Application) -> AsyncIterator[str]:
    """One database will do: what is judged is the protocol."""
    async with serve_mcp(suite_application(application), suite_features()) as base:
        yield base


def seen(folder: Path) -> tuple[set[str], dict[str, set[str]]]:
    """The scenarios that were run, and the checks by what came of them."""
    ran, checks = set[str](), defaultdict[str, set[str]](set)
    for file in folder.rglob("checks.json"):
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name.removeprefix("server-"))
        ran.add(scenario)
        for check in json.loads(file.read_text()):
            checks[check["status"]].add(f"{scenario}:{check['id']}")
    return ran, checks


def listed(revision: str, what: str) -> set[str]:
    """Return a list of a revision: `scenarios`, `checks`, `advised` or `skipped`."""
    return {each for part in EXEMPT[revision] for each in part.get(what, ())}


@pytest.mark.parametrize("revision", EXEMPT)
async def test_the_conformance_tests_for_tool_servers_pass(base: str, revision: str, tmp_path: Path) -> None:
    installed_packages()
    words = ("server", "--url", f"{base}/mcp", "--requirements", revision, "--output-dir", str(tmp_path))
    await run_script(SUITE, *words)
    ran, checks = seen(tmp_path)
    whole, failed = listed(revision, "scenarios"), checks["FAILURE"]
    assert {check for check in failed if check.partition(":")[0] not in whole} == listed(revision, "checks")
    assert whole - {check.partition(":")[0] for check in failed} == set()
    assert checks["WARNING"] == listed(revision, "advised")
    assert checks["SKIPPED"] == listed(revision, "skipped")
    assert ran >= {"tools-list", "tools-call-simple-text", "tools-call-error", "dns-rebinding-protection"}
