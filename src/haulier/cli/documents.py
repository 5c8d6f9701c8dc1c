"""`haulier openapi|graphql-schema|operations|publish`: the registry, printed."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from haulier.kernel.operation import GraphQL, Mcp, Operation, Rest

LIFE_CYCLES = Path("docs/reference/life-cycles.md")
MISSING_TOOLS = Path("docs/reference/missing-tools.md")
OTEP = Path("docs/reference/otep.md")
CARRIERS = Path("docs/reference/carriers.md")
PIPE_COLUMNS = 240


def add_to(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.command("openapi")(openapi)
    app.command("graphql-schema")(graphql_schema)
    app.command("operations")(operations)
    app.command("publish")(publish)


def openapi() -> None:
    """Print the OpenAPI 3.1.0 description of the REST door."""
    typer.echo(_artefacts()["openapi.json"]())


def graphql_schema() -> None:
    """Print the GraphQL schema."""
    typer.echo(_artefacts()["schema.graphql"]())


def operations() -> None:
    """Print the registry of operations as a table."""
    from rich.console import Console
    from rich.table import Column, Table

    from haulier.app import registry

    name = Column("operation", no_wrap=True)
    table = Table(name, "effect", "risk", "scopes", "who", "doors", title=f"{len(registry())} operations")
    for operation in registry():
        table.add_row(
            operation.name,
            operation.effect.value,
            operation.risk.value,
            "\n".join(sorted(operation.scopes)),
            "\n".join(sorted(operation.audience)),
            "\n".join(map(_door, operation.doors)),
        )
    Console(width=None if sys.stdout.isatty() else PIPE_COLUMNS).print(table)


def publish(folder: Path = Path("published")) -> None:
    """Write every published artefact anew. A test fails when one has drifted."""
    from haulier.app import registry
    from haulier.cli.reference import OPERATIONS, operations_page
    from haulier.doors.mcp.catalogue import missing_page

    folder.mkdir(exist_ok=True)
    for name, text in published().items():
        (folder / name).write_text(text)
        typer.echo(f"{folder / name}  {len(text):,} characters")
    LIFE_CYCLES.write_text(life_cycles())
    OPERATIONS.write_text(operations_page(registry()))
    MISSING_TOOLS.write_text(missing_page(registry()))
    OTEP.write_text(otep_reference())
    CARRIERS.write_text(carriers_reference())


def life_cycles() -> str:
    """The state machines, drawn from the tables in code, as a page of the reference."""
    from haulier.app import drawings

    parts = ["# Life cycles\n\nDrawn from the tables in code by `make published`.\n"]
    parts += [f"\n## {name}\n\n```mermaid\n{drawing.strip()}\n```\n" for name, drawing in drawings().items()]
    return "".join(parts)


def otep_reference() -> str:
    """The vocabulary of the tracking protocol and what it becomes in other standards, as a page of the reference."""
    from functools import partial

    from haulier.contexts.tracking import public as tracking
    from haulier.kernel.languages import DEFAULT, Catalogues

    return tracking.reference(partial(Catalogues().say, DEFAULT))


def carriers_reference() -> str:
    """What the status codes of carriers and aggregators mean here, as a page of the reference."""
    from haulier.contexts.tracking import public as tracking

    return tracking.carriers_page()


def published() -> dict[str, str]:
    """Every published artefact by file name."""
    return {name: write() for name, write in _artefacts().items()}


def _artefacts() -> "dict[str, Callable[[], str]]":
    from haulier.app import registry
    from haulier.doors.graphql.schema import schema_sdl
    from haulier.doors.mcp.tools import published_tools
    from haulier.doors.rest.openapi import openapi as describe
    from haulier.kernel.declarations import Server

    return {
        "openapi.json": lambda: _json(describe(registry())),
        "schema.graphql": lambda: schema_sdl(registry()).rstrip() + "\n",
        "tools.user.json": lambda: _json(published_tools(registry(), Server.USER)),
        "tools.developer.json": lambda: _json(published_tools(registry(), Server.DEVELOPER)),
        "operations.txt": lambda: "".join(f"{_line(operation)}\n" for operation in registry()),
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _line(operation: "Operation[Any, Any]") -> str:
    """One operation on one line: what reviewers read first."""
    scopes = ",".join(sorted(operation.scopes)) or "-"
    audience = ",".join(sorted(operation.audience))
    doors = "; ".join(map(_door, operation.doors))
    confirm = " confirm" if operation.confirm else ""
    return f"{operation.name} | {operation.effect} {operation.risk}{confirm} | {scopes} | {audience} | {doors}"


def _door(door: "Rest | GraphQL | Mcp") -> str:
    from haulier.kernel.operation import GraphQL, Mcp, Rest

    match door:
        case Rest():
            return f"{door.method} {door.path}"
        case GraphQL():
            return f"graphql {door.name}"
        case Mcp():
            return f"tool {door.name} ({', '.join(sorted(door.servers))})"
