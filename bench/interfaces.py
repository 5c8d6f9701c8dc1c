"""Server cost of a response by interface: `python -m bench.interfaces`.

The cost is the processor time of the server per call, user and system, in the cheapest of several rounds in which the
interfaces alternate: on a shared machine every call is slower, but equally so on all interfaces. GraphQL selects every
field of the response.
"""

import argparse
import http.client
import json
import socket
import sys
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import psutil
from graphql import GraphQLField, GraphQLObjectType, get_named_type
from msgspec import Struct

from bench import serve
from bench.databases import seeded_servers
from bench.mcp import NEWEST_VERSION, tool_request
from bench.page import keep_results
from bench.seed import Business
from haulier.api.graphql.schema import build_schema
from haulier.app import registry
from haulier.kernel.operations.declaration import GraphQL, Mcp, Operation, Rest

INTERFACES = ("REST", "GraphQL", "MCP")
MAX_RATIO = 1.3
ORDERS, PAGE = 600, 20
WARM_UP_CALLS = 20
CONSIGNEE = {
    "name": "Reader",
    "address": "100 King St W",
    "city": "Toronto",
    "country": "CA",
    "lat": 43.65,
    "lng": -79.38,
}
COLUMNS = ("call", "database", *(f"{interface}, ms" for interface in INTERFACES), "GraphQL of REST", "MCP of REST")
Request = dict[str, Any]


class InterfaceMeasurement(Struct, frozen=True):
    """One row of the table: processor milliseconds, in the order of `INTERFACES`."""

    call: str
    database: str
    milliseconds: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        """Return the cost of the other interfaces relative to REST."""
        return [each / self.milliseconds[0] for each in self.milliseconds[1:]]

    def cells(self) -> tuple[str, ...]:
        """Return the cells as text, in the order of `COLUMNS`."""
        times = (f"{each:.2f}" for each in self.milliseconds)
        return (self.call, self.database, *times, *(f"{ratio:.2f}" for ratio in self.ratios))


def cases(business: Business) -> Iterator[tuple[str, str, Callable[[int], dict[str, Any]]]]:
    """Yield each call: name, operation, and arguments by the number of the call."""
    yield "order", "get_order_detail", lambda n: {"order_id": business.ids[n % business.stored]}
    yield f"list of {PAGE}", "get_orders", lambda n: {"per_page": PAGE, "page": 1 + n % (business.stored // PAGE)}
    yield "timeline, token", "otep_tracking", lambda n: {"tracking_number": _spelled_anew(business, n)}
    yield "create an order", "create_order", _new_order


def _spelled_anew(business: Business, n: int) -> str:
    """Return a tracking number in a spelling that was not used before.

    Only REST caches responses; the comparison is about reading.
    """
    number, at = business.number(n % business.stored), 1 + n // business.stored
    return f"{number[:at]}-{number[at:]}"


_zeros = cycle(range(1, 200))


def _number_spelled_anew(value: Any) -> Any:
    """Return a number in a path or query in a spelling that was not used before."""
    return f"{'0' * next(_zeros)}{value}" if isinstance(value, int) else value


def _new_order(_: int) -> dict[str, Any]:
    ref = f"D-{uuid.uuid4().hex[:12]}"
    return {"type": "D", "order_ref": ref, "consignee": CONSIGNEE, "packages": [{"weight_g": 1500}]}


def request_of(interface: str, operation: Operation[Any, Any], arguments: dict[str, Any], token: str) -> Request:
    """Return a call as a request to one interface."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    if interface == "MCP":
        tool = next(each for each in operation.interfaces if isinstance(each, Mcp))
        params = {"name": tool.name, "arguments": arguments}
        request = tool_request("tools/call", params, NEWEST_VERSION, token)
        return {**request, "headers": {**headers, **request["headers"]}}
    if interface == "GraphQL":
        body = {"query": _document(operation), "variables": arguments}
        return {"method": "POST", "path": "/graphql", "headers": headers, "body": json.dumps(body)}
    rest = next(each for each in operation.interfaces if isinstance(each, Rest))
    if rest.method != "GET":
        path = f"/api{rest.path.format(**arguments)}"
        return {"method": rest.method, "path": path, "headers": headers, "body": json.dumps(arguments)}
    spelled = {name: _number_spelled_anew(value) for name, value in arguments.items()}
    path = f"/api{rest.path.format(**spelled)}"
    query = "&".join(f"{name}={value}" for name, value in spelled.items() if f"{{{name}}}" not in rest.path)
    return {"method": "GET", "path": f"{path}?{query}" if query else path, "headers": headers}


def _document(operation: Operation[Any, Any]) -> str:
    """Return a GraphQL document for every field of the response of an operation.

    Its variables have the names of the arguments.
    """
    schema = build_schema(registry())
    kind = "query" if operation.effect == "read" else "mutation"
    root: Any = schema.query_type if kind == "query" else schema.mutation_type
    interface = next(each for each in operation.interfaces if isinstance(each, GraphQL))
    field: GraphQLField = root.fields[interface.name]
    declared = ", ".join(f"${name}: {argument.type}" for name, argument in field.args.items())
    passed = ", ".join(f"{name}: ${name}" for name in field.args)
    return f"{kind}({declared}) {{ {interface.name}({passed}){_selection(field)} }}"


def _selection(field: GraphQLField) -> str:
    kind = get_named_type(field.type)
    if not isinstance(kind, GraphQLObjectType):
        return ""
    return f" {{ {' '.join(name + _selection(inner) for name, inner in kind.fields.items())} }}"


def server_process(port: int) -> psutil.Process:
    """Return the process that listens on a port."""
    listening = (each for each in psutil.net_connections("tcp") if each.status == psutil.CONN_LISTEN)
    return psutil.Process(next(each.pid for each in listening if each.laddr and each.laddr.port == port))


def processor_seconds(process: psutil.Process) -> float:
    """Return the user and system seconds used by a process.

    Linux reports nanoseconds for each thread; elsewhere the resolution is 10 ms per process.
    """
    threads = [*Path(f"/proc/{process.pid}/task").glob("*/schedstat")]
    if threads:
        return sum(int(each.read_text().split()[0]) for each in threads) / 10**9
    times = process.cpu_times()
    return times.user + times.system


class Server:
    """One connection to a server, with its processor time."""

    def __init__(self, port: int) -> None:
        self._address = (serve.HOST, port)
        self._socket = socket.create_connection(self._address, timeout=60)
        self._process = server_process(port)

    def send(self, request: Request) -> bytes:
        """Return the body of a response; raises `RuntimeError` for an error."""
        body = request.get("body", "").encode()
        names = {"Host": serve.HOST, "Content-Length": str(len(body)), **request["headers"]}
        head = f"{request['method']} {request['path']} HTTP/1.1\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in names.items()
        )
        answer = self._exchange(f"{head}\r\n".encode() + body)
        body = answer.read()
        if answer.status >= 300 or b'"isError":true' in body or body.startswith(b'{"errors"') or b'"errors":[{' in body:
            raise RuntimeError(f"{request['path']}: {answer.status} {body[:500]!r}")
        return body

    def _exchange(self, message: bytes) -> http.client.HTTPResponse:
        """Return the response, reconnecting if the server closed the idle connection."""
        try:
            return self._answer_to(message)
        except (http.client.RemoteDisconnected, ConnectionError):
            self._socket.close()
            self._socket = socket.create_connection(self._address, timeout=60)
            return self._answer_to(message)

    def _answer_to(self, message: bytes) -> http.client.HTTPResponse:
        self._socket.sendall(message)  # one segment, as most clients send it
        answer = http.client.HTTPResponse(self._socket)
        answer.begin()
        return answer

    def milliseconds(self, requests: list[Request]) -> float:
        """Return the average processor milliseconds of the server for these requests."""
        before = processor_seconds(self._process)
        for request in requests:
            self.send(request)
        return (processor_seconds(self._process) - before) / len(requests) * 1000


def measure(port: int, business: Business, name: str, given: Any) -> Iterator[InterfaceMeasurement]:
    """Measure every call on every interface."""
    server, operations = Server(port), {each.name: each for each in registry()}
    for call, operation, arguments in cases(business):
        by_interface = {
            interface: partial(request_of, interface, operations[operation], token=business.token)
            for interface in INTERFACES
        }
        for make in by_interface.values():
            for n in range(WARM_UP_CALLS):
                server.send(make(arguments=arguments(n)))
        least: dict[str, float] = dict.fromkeys(INTERFACES, float("inf"))
        for turn in range(given.rounds):
            first = WARM_UP_CALLS + turn * given.calls  # new arguments each round, or REST would respond from its cache
            for interface, make in by_interface.items():
                requests = [make(arguments=arguments(n)) for n in range(first, first + given.calls)]
                least[interface] = min(least[interface], server.milliseconds(requests))
        yield InterfaceMeasurement(call, name, tuple(least.values()))


def missed_targets(results: list[InterfaceMeasurement]) -> list[str]:
    """Return the calls that cost more than `MAX_RATIO` of REST on another interface."""
    return [
        f"{each.call}, {each.database}, {interface}: {ratio:.2f} of REST, wanted {MAX_RATIO}"
        for each in results
        for interface, ratio in zip(INTERFACES[1:], each.ratios, strict=True)
        if ratio > MAX_RATIO
    ]


def main() -> int:
    """Measure, print, keep; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.interfaces", description=__doc__)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--calls", type=int, default=100, help="calls of each kind per interface and round")
    parser.add_argument("--rounds", type=int, default=12)
    given = parser.parse_args()
    results: list[InterfaceMeasurement] = []
    for name, business, port in seeded_servers(given.databases.split(","), ORDERS):
        results += measure(port, business, name, given)
    about = "Processor time of the server for one call, and its ratio to REST on the other interfaces."
    return keep_results("Doors", COLUMNS, [each.cells() for each in results], missed_targets(results), about)


if __name__ == "__main__":
    sys.exit(main())
