"""Commands that print and write the published descriptions of the API."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from haulier.kernel.operations.declaration import GraphQL, Mcp, Operation, Rest

LIFE_CYCLES = Path("docs/reference/life-cycles.md")
MISSING_TOOLS = Path("docs/reference/missing-tools.md")
OTEP = Path("docs/reference/otep.md")
CARRIERS = Path("docs/reference/carriers.md")
PIPE_COLUMNS = 240


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("openapi")(print_openapi)
    app.command("graphql-schema")(print_graphql_schema)
    app.command("operations")(print_operations)
    app.command("publish")(publish_artefacts)


def print_openapi() -> None:
    """Print the OpenAPI 3.1.0 description of the REST API."""
    typer.echo(_artefact_writers()["openapi.json"]())


def print_graphql_schema() -> None:
    """Print the GraphQL schema."""
    typer.echo(_artefact_writers()["schema.graphql"]())


def print_operations() -> None:
    """Print all operations as a table."""
    from rich.console import Console
    from rich.table import Column, Table

    from haulier.app import registry

    name = Column("operation", no_wrap=True)
    table = Table(name, "effect", "risk", "scopes", "audience", "interfaces", title=f"{len(registry())} operations")
    for operation in registry():
        table.add_row(
            operation.name,
            operation.effect.value,
            operation.risk.value,
            "\n".join(sorted(operation.scopes)),
            "\n".join(sorted(operation.audience)),
            "\n".join(map(_describe_binding, operation.interfaces)),
        )
    Console(width=None if sys.stdout.isatty() else PIPE_COLUMNS).print(table)


def publish_artefacts(folder: Path = Path("published")) -> None:
    """Write all published files. A test fails if they are out of date."""
    from haulier.api.mcp.tool_catalogue import missing_tools_page
    from haulier.app import registry

    folder.mkdir(exist_ok=True)
    for name, text in render_artefacts().items():
        (folder / name).write_text(text)
        typer.echo(f"{folder / name}  {len(text):,} characters")
    _write_reference_pages(render_reference_pages())
    LIFE_CYCLES.write_text(render_life_cycles())
    MISSING_TOOLS.write_text(missing_tools_page(registry()))
    OTEP.write_text(render_otep_reference())
    CARRIERS.write_text(render_carriers_reference())


def _write_reference_pages(pages: "Mapping[Path, str]") -> None:
    """Write the pages of operations, errors and events; remove former ones."""
    folders = {page.parent for page in pages if page.parent != LIFE_CYCLES.parent}
    for former in [page for folder in folders for page in folder.glob("*.md") if page not in pages]:
        former.unlink()
    for page, text in pages.items():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)


def render_reference_pages() -> "dict[Path, str]":
    """Return the reference pages of operations, error codes and webhook events."""
    from functools import partial
    from importlib import import_module
    from pkgutil import walk_packages

    import haulier.api
    from haulier.app import registry
    from haulier.cli.errors_reference import ERRORS, render_errors_page
    from haulier.cli.events_reference import EVENTS, render_event_pages
    from haulier.cli.operations_reference import OPERATIONS, render_operation_pages
    from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, Catalogues
    from haulier.kernel.operations.errors import list_error_types

    for module in walk_packages(haulier.api.__path__, "haulier.api."):
        import_module(module.name)  # errors of interfaces, beside those of operations
    operations, translate = registry(), partial(Catalogues().translate, DEFAULT_LANGUAGE)
    return {
        ERRORS: render_errors_page(operations, list_error_types(), translate),
        **{OPERATIONS / name: text for name, text in render_operation_pages(operations).items()},
        **{EVENTS / name: text for name, text in render_event_pages(operations, translate).items()},
    }


def render_life_cycles() -> str:
    """Return the reference page with the diagrams of all state machines."""
    from haulier.app import list_state_diagrams

    parts = ["# Life cycles\n\nGenerated from the tables in code by `make published`.\n"]
    parts += [f"\n## {name}\n\n```mermaid\n{drawing.strip()}\n```\n" for name, drawing in list_state_diagrams().items()]
    return "".join(parts)


def render_otep_reference() -> str:
    """Return the reference page of the tracking protocol and its mappings."""
    from functools import partial

    from haulier.contexts.otep import public as otep
    from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, Catalogues

    return otep.reference_page(partial(Catalogues().translate, DEFAULT_LANGUAGE))


def render_carriers_reference() -> str:
    """Return the reference page of carriers' status codes."""
    from haulier.contexts.otep import public as otep

    return otep.carriers_page()


def render_artefacts() -> dict[str, str]:
    """Return all published files by name."""
    return {name: write() for name, write in _artefact_writers().items()}


def _artefact_writers() -> "dict[str, Callable[[], str]]":
    from haulier.api.devices.asyncapi import asyncapi_document
    from haulier.api.graphql.schema import schema_sdl
    from haulier.api.mcp.tools import published_tools
    from haulier.api.rest.openapi import openapi_document as describe
    from haulier.app import registry
    from haulier.contexts.lockers.public import LockerDevices
    from haulier.kernel.operations.enums import McpServer

    return {
        "openapi.json": lambda: _json_by_line(describe(registry())),
        "asyncapi.json": lambda: _json(asyncapi_document(registry(), LockerDevices())),
        "schema.graphql": lambda: schema_sdl(registry()).rstrip() + "\n",
        "tools.user.json": lambda: _json(published_tools(registry(), McpServer.USER)),
        "tools.developer.json": lambda: _json(published_tools(registry(), McpServer.DEVELOPER)),
        "operations.txt": lambda: "".join(f"{_operation_line(operation)}\n" for operation in registry()),
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _json_by_line(document: "Mapping[str, Any]") -> str:
    """Return a large document with one line for each path, component and member."""

    def lines(value: Any, depth: int) -> str:
        if depth and isinstance(value, dict) and value:
            members: dict[str, Any] = value
            inside = ",\n".join(f"{json.dumps(name)}:{lines(member, depth - 1)}" for name, member in members.items())
            return f"{{\n{inside}\n}}"
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    return lines(document, 3) + "\n"


def _operation_line(operation: "Operation[Any, Any]") -> str:
    """Return an operation as one line, for reviews."""
    scopes = ",".join(sorted(operation.scopes)) or "-"
    audience = ",".join(sorted(operation.audience))
    interfaces = "; ".join(map(_describe_binding, operation.interfaces))
    confirm = " confirm" if operation.confirm else ""
    return f"{operation.name} | {operation.effect} {operation.risk}{confirm} | {scopes} | {audience} | {interfaces}"


def _describe_binding(interface: "Rest | GraphQL | Mcp") -> str:
    from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest

    match interface:
        case Rest():
            return f"{interface.method} {interface.path}"
        case GraphQL():
            return f"graphql {interface.name}"
        case Mcp():
            return f"tool {interface.name} ({', '.join(sorted(interface.servers))})"
