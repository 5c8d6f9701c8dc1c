"""ARCHITECTURE.md is correct: its example runs, and its packages exist."""

import inspect
import re
import sys
from collections.abc import AsyncIterator, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from sqlalchemy import select
from tests.docs.blocks import ROOT, blocks
from tests.processes.server_process import make_order
from tests.support.app import App, make_app
from tests.support.databases import migrated_file

from haulier.api.mcp.app import McpInterface
from haulier.app import registry
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.registry import Declarations, Registry
from haulier.kernel.pipeline.audit import audit_entries, audit_subjects

PAGE = "ARCHITECTURE.md"
NAME = "haulier.contexts.orders.delivery_orders.operations.storm"
LINES = 20
PATH = "/v1/orders/storm"
SHOW = {"order_ids": [1, 2, 999]}
AUDIT = (
    select(audit_subjects.c.subject_id)
    .join(audit_entries, audit_entries.c.id == audit_subjects.c.entry_id)
    .where(audit_entries.c.operation == "hold_for_storm")
    .order_by(audit_subjects.c.subject_id)
)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The page's example, as the file it says it is."""
    (block,) = [block for block in blocks(PAGE) if block.language == "python"]
    file = tmp_path_factory.mktemp("example") / "storm.py"
    file.write_text(block.text)
    spec = spec_from_file_location(NAME, file)
    assert spec
    assert spec.loader
    module = sys.modules[NAME] = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[NAME]


@pytest.fixture
async def app(tmp_path: Path, example: ModuleType, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[App]:
    """The application with the example among its operations: nothing else was touched."""
    found = Declarations([example], (Operation,)).of(Operation)
    together = Registry(sorted([*registry(), *found], key=lambda operation: operation.name))
    monkeypatch.setattr("haulier.app.registry", lambda modules: together)
    async with make_app(migrated_file(tmp_path)) as app:
        for ref in ("A", "B"):
            await app.answer("admin", "create_order", make_order(ref))
        yield app


async def statuses(app: App) -> list[str]:
    answer = await app.rest("admin", "GET", "/v1/orders")
    return [order["status"] for order in answer.json()["orders"]]


def test_the_example_has_the_stated_length(example: ModuleType) -> None:
    lines = inspect.getsource(example).splitlines()[1:]
    assert len([line for line in lines if line.strip() and "import" not in line]) <= LINES


async def test_the_example_is_available_over_rest_to_its_audience(app: App) -> None:
    refused = [(await app.rest(who, "POST", PATH, SHOW)).status_code for who in (None, "customer")]
    assert refused == [401, 403]
    too_few = await app.rest("admin", "POST", PATH, {"order_ids": []})
    assert (too_few.status_code, too_few.json()["errors"][0]["field"]) == (422, "order_ids")
    answer = await app.rest("admin", "POST", PATH, SHOW)
    assert (answer.status_code, answer.json()) == (200, {"result": True, "held": 2})
    assert await statuses(app) == ["HOLD", "HOLD"]


async def test_the_example_supports_dry_runs_without_extra_code(app: App) -> None:
    answer = await app.rest("admin", "POST", PATH, SHOW, headers={"X-Dry-Run": "1"})
    assert answer.json()["preview"] == {"result": True, "held": 2}
    assert await statuses(app) == ["NEW_ORDER", "NEW_ORDER"]


async def test_the_example_is_a_graphql_mutation_and_a_tool(app: App) -> None:
    query = {"query": "mutation { holdForStorm(order_ids: [1]) { held } }"}
    token = {"Authorization": f"Bearer {app.tokens['admin']}"}
    answer = await app.http.post("/graphql", json=query, headers=token)
    assert answer.json() == {"data": {"holdForStorm": {"held": 1}}}
    door = McpInterface(app.application, McpServer.USER)
    params = {"name": "hold_for_storm", "arguments": {"order_ids": [2]}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    async with door.running(), httpx.AsyncClient(transport=httpx.ASGITransport(app=door)) as http:
        answer = await http.post("http://test/mcp", json=call, headers=token)
    assert answer.json()["result"]["structuredContent"] == {"result": True, "held": 1}
    assert await statuses(app) == ["HOLD", "HOLD"]


async def test_the_example_is_described_and_audited(app: App) -> None:
    await app.answer("admin", "hold_for_storm", SHOW)
    entry = (await app.http.get("/api/openapi.json")).json()["paths"][PATH]["post"]
    assert entry["summary"] == "Hold many orders. Those that cannot be held stay as they are."
    assert entry["x-haulier"]["scopes"] == ["orders:write"]
    async with app.database.read(None) as work:
        rows = await work.all(AUDIT)
    assert [row.subject_id for row in rows] == [1, 2]


def test_every_named_folder_exists() -> None:
    (rooms,) = [block.text for block in blocks(PAGE) if block.text.startswith("src/haulier/")]
    named = re.findall(r"(?:^|;|  )\s*(\w+(?:\.py|/))", rooms.partition("\n")[2], re.MULTILINE)
    assert len(named) >= 9
    assert [name for name in named if not (ROOT / "src" / "haulier" / name).exists()] == []


def test_every_context_and_interface_is_named() -> None:
    (rooms,) = [block.text for block in blocks(PAGE) if block.text.startswith("src/haulier/")]
    for folder in ("contexts", "api"):
        (entry,) = re.findall(rf"^  {folder}/.*\n(?:   .*\n)*", rooms, re.MULTILINE)
        existing = {
            path.name for path in (ROOT / "src" / "haulier" / folder).iterdir() if (path / "__init__.py").exists()
        }
        assert existing - set(re.findall(r"\w+", entry)) == set()
