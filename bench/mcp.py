"""The MCP server compared with the SDK's minimal server: `python -m bench.mcp`.

Each case is measured on both servers in succession under the same load. The minimal server lists the same tools and
replays recorded responses of Haulier, which also authenticates, authorises, reads the timeline and encodes it. Sizes of
the tool lists are measured in tokens.
"""

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rs_bpe.bpe import openai

from bench import serve
from bench.databases import database_address
from bench.seed import Business, seed_orders
from haulier.app import registry
from haulier.kernel.operations.declaration import Mcp
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.scope_profiles import PROFILES

RESULTS = Path(__file__).parent / "MCP.md"
MIN_RATIO = 0.7
NEWEST_VERSION = "2026-07-28"
REQUEST_META = {
    "io.modelcontextprotocol/protocolVersion": NEWEST_VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
COLUMNS = ("case", "version", "requests/s", "minimal server", "ratio", "p50 ms", "p99 ms")
_count_tokens = openai.o200k_base().count
"""A public tokenizer (o200k); other models count slightly more or less."""


class McpMeasurement(Struct, frozen=True):
    """One row of the table."""

    case: str
    version: str
    per_second: float
    minimal: float
    p50_ms: float
    p99_ms: float

    @property
    def ratio(self) -> float:
        """Return the speed relative to the minimal server."""
        return self.per_second / self.minimal

    def cells(self) -> tuple[str, ...]:
        """Return the cells as text, in the order of `HEADS`."""
        speeds = (f"{self.per_second:.0f}", f"{self.minimal:.0f}", f"{self.ratio:.2f}")
        return (self.case, self.version, *speeds, f"{self.p50_ms:.2f}", f"{self.p99_ms:.2f}")


def tool_request(method: str, params: dict[str, Any], version: str | None, token: str | None = None) -> dict[str, Any]:
    """Return one request for the load generator.

    Without a version it is plain JSON-RPC without a handshake.
    """
    headers = {"Accept": "application/json, text/event-stream"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if version:
        headers |= {"MCP-Protocol-Version": version, "Mcp-Method": method}
        headers |= {"Mcp-Name": params["name"]} if "name" in params else {}
        params = {**params, "_meta": REQUEST_META}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return {"method": "POST", "path": "/mcp", "headers": headers, "body": json.dumps(message)}


def cases(business: Business) -> Iterator[tuple[str, str | None, list[dict[str, Any]]]]:
    """Yield the cases by name and version."""
    numbers = [business.number(at) for at in range(0, business.stored, max(1, business.stored // 500))][:500]
    for version in (None, NEWEST_VERSION):
        calls = [{"name": "track_package", "arguments": {"number": number}} for number in numbers]
        yield "tools/call track_package", version, [tool_request("tools/call", call, version) for call in calls]
        yield "tools/list, all", version, [tool_request("tools/list", {}, version, business.token)]


def record_answers(port: int, business: Business, folder: Path) -> Path:
    """Record the responses of Haulier for the minimal server.

    Raises `RuntimeError` unless they include all tools.
    """
    tools = serve.send_request(port, tool_request("tools/list", {}, None, business.token))["result"]["tools"]
    call = {"name": "track_package", "arguments": {"number": business.number(0)}}
    result = serve.send_request(port, tool_request("tools/call", call, None))["result"]
    there = sum(McpServer.USER in tool.servers for tool, _ in registry().bindings(Mcp))
    if len(tools) < there * 0.9 or result.get("isError"):
        raise RuntimeError(f"{len(tools)} of {there} tools, and {result}")
    path = folder / "heard.json"
    path.write_text(json.dumps({"tools": tools, "result": result}))
    return path


def measure(ours: int, minimal: int, business: Business, seconds: float) -> Iterator[McpMeasurement]:
    """Measure every case on both servers."""
    for name, version, requests in cases(business):
        result, bar = (serve.run_load(port, requests, seconds) for port in (ours, minimal))
        if result["not_ok"] or bar["not_ok"]:
            raise RuntimeError(f"{name}: {result['not_ok']} and {bar['not_ok']} answers were not 2xx")
        speeds = result["per_second"], bar["per_second"]
        yield McpMeasurement(name, version or "none", *speeds, result["p50_ms"], result["p99_ms"])


def tool_list_sizes(port: int, business: Business) -> Iterator[tuple[str, int, str, str]]:
    """Yield each profile, its number of tools, the list, and what a model receives."""
    for path in ("/mcp", "/mcp/developer"):
        for profile in PROFILES:
            request = tool_request("tools/list", {}, None, business.token)
            request["headers"]["X-MCP-Profile"] = profile
            tools = serve.send_request(port, {**request, "path": path})["result"]["tools"]
            shown = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]
            yield f"{path}, {profile}", len(tools), _written(tools), _written(shown)


def _written(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def results_page(results: list[McpMeasurement], sizes: list[tuple[str, int, str, str]], command: str) -> str:
    """Return the results page."""
    lines = ["# The MCP server", "", f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC", f"- command: `{command}`", ""]
    lines += [f"| {' | '.join(COLUMNS)} |", "| --- | --- |" + " ---: |" * (len(COLUMNS) - 2)]
    lines += [f"| {' | '.join(each.cells())} |" for each in results]
    lines += ["", "## Size of tool lists", "", "Tokens are those of the tokenizer o200k."]
    lines += ["Hosts show a model names, descriptions and input schemas; output schemas are for programs.", ""]
    lines += ["| server, profile | tools | bytes | tokens | shown to a model |", "| --- |" + " ---: |" * 4]
    for name, count, whole, shown in sizes:
        lines.append(f"| {name} | {count} | {len(whole.encode())} | {_count_tokens(whole)} | {_count_tokens(shown)} |")
    lines += ["", "## Targets missed", "", *([f"- {each}" for each in missed_targets(results)] or ["none"])]
    return "\n".join(lines) + "\n"


def missed_targets(results: list[McpMeasurement]) -> list[str]:
    """Return the cases below the minimum ratio."""
    return [
        f"{each.case}, version {each.version}: {each.ratio:.2f} of the minimal server, wanted {MIN_RATIO}"
        for each in results
        if each.ratio < MIN_RATIO
    ]


def main() -> int:
    """Measure, print and store results; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.mcp", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--database", default="sqlite", choices=("sqlite", "postgres"))
    parser.add_argument("--orders", type=int, default=10_000, help="stored orders, twelve events each")
    parser.add_argument("--quick", action="store_true", help="1000 orders, a second a case, nothing written")
    given = parser.parse_args()
    if given.quick:
        given.seconds, given.orders = 1.0, 1000
    business = Business()
    with ExitStack() as stack:
        url = stack.enter_context(database_address(given.database))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="haulier-bench-")))
        seed_orders(url, business, given.orders, lambda _: None)
        ours = stack.enter_context(serve.serve_haulier(url))
        minimal = stack.enter_context(serve.serve_minimal_mcp(record_answers(ours, business, folder)))
        results, sizes = list(measure(ours, minimal, business, given.seconds)), list(tool_list_sizes(ours, business))
    if given.database == "postgres":
        from tests.support.databases import leave

        leave()
    shown = Table(*COLUMNS)
    for each in results:
        shown.add_row(*each.cells())
    Console().print(shown)
    for name, count, whole, model in sizes:
        Console().print(f"{name}: {count} tools, {whole} bytes, a model sees {model}")
    if not given.quick:
        RESULTS.write_text(results_page(results, sizes, shlex.join(["python", "-m", "bench.mcp", *sys.argv[1:]])))
    return int(bool(missed_targets(results)))


if __name__ == "__main__":
    sys.exit(main())
