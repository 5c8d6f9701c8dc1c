"""Output of commands: a table for people or JSON for programs."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

PIPE_COLUMNS = 4000
"""Width of a table that a program reads: no line is wrapped."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def print_records(records: Iterable[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """Print records: all members as a JSON array, or the given columns as a table."""
    rows = list(records)
    if as_json:
        typer.echo(json.dumps(rows, default=_to_json, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    table = Table(*(Column(name, overflow="fold") for name in columns), box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(escape(_to_cell(row[name])) for name in columns))
    Console(width=None if sys.stdout.isatty() else PIPE_COLUMNS).print(table)


def print_record(record: Mapping[str, Any], *, as_json: bool) -> None:
    """Print one record: a JSON object, or a line for each member."""
    if as_json:
        typer.echo(json.dumps(record, default=_to_json, ensure_ascii=False))
        return
    width = max(map(len, record))
    for name, value in record.items():
        typer.echo(f"{name:<{width}}  {_to_cell(value)}")


def _to_cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, dict):
        return json.dumps(value, default=_to_json, ensure_ascii=False)
    return ", ".join(map(str, value)) if isinstance(value, list | tuple | set | frozenset) else str(value)


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
