"""`haulier otep`: validation and conversion of tracking timelines in files."""

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from haulier.contexts.otep.protocol.contract import ConformanceReport

group = typer.Typer(
    help="Validate tracking timelines in files and convert them to other formats.", no_args_is_help=True
)
PIPE_COLUMNS = 240

Source = Annotated[
    typer.FileBinaryRead, typer.Argument(metavar="FILE", help="Timeline as JSON, or - for standard input.")
]
Language = Annotated[str, typer.Option(help="Language of messages, such as de or zh-Hant.")]


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="otep")


@group.command()
def validate(
    file: Source,
    projection: Annotated[
        list[str] | None, typer.Option(help="Further format that the sender provides. Repeatable; level 2 needs one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the full report as JSON.")] = False,
    language: Language = "en",
) -> None:
    """Validate a timeline and print its conformance level.

    Exits with 1 if it is invalid.
    """
    formats = [_require_format(name) for name in projection or ()]
    answer = _conformance(_read_document(file), formats, language)
    _show_json(answer) if as_json else _show_table(answer)
    raise typer.Exit(0 if answer.valid else 1)


@group.command()
def project(
    file: Source,
    format: Annotated[str, typer.Option(help="Target format: otep, epcis, onerecord, uncefact, otlp or another.")],
    base_url: Annotated[str, typer.Option(help="Base URL used in the document.")] = "http://127.0.0.1:8000",
    language: Language = "en",
) -> None:
    """Convert a timeline to another format. Exits with 1 if the timeline is invalid."""
    from msgspec import json as written

    from haulier.contexts.otep import public as otep

    projection_type = otep.FORMATS[_require_format(format, native=True)]
    document = _read_document(file)
    answer = _conformance(document, [], language)
    if not answer.valid:
        _show_table(answer, error=True)
        raise typer.Exit(1)
    projected = projection_type.project(otep.parse_timeline(document), base_url)
    typer.echo(written.format(written.encode(projected), indent=2))


def _require_format(name: str, *, native: bool = False) -> str:
    from haulier.contexts.otep.public import FORMATS

    names = [name for name in FORMATS if native or name != "otep"]
    if name not in names:
        raise typer.BadParameter(f"unknown format {name}. Choose one of {', '.join(names)}.")
    return name


def _read_document(file: typer.FileBinaryRead) -> Any:
    from pydantic_core import from_json

    try:
        return from_json(file.read(), allow_inf_nan=False)
    except ValueError as fault:
        raise typer.BadParameter(f"not valid JSON: {fault}", param_hint="FILE") from None


def _conformance(document: Any, projections: list[str], language: str) -> "ConformanceReport":
    from haulier.contexts.otep import public as otep
    from haulier.kernel.i18n.languages import Catalogues, negotiate_language

    say = partial(Catalogues().translate, negotiate_language(language))
    return otep.localize_report(otep.validate_timeline(document, projections=projections), say)


def _show_json(answer: "ConformanceReport") -> None:
    from haulier.kernel.operations.codec import to_plain_values

    typer.echo(json.dumps(to_plain_values(answer), indent=2, ensure_ascii=False))


def _show_table(answer: "ConformanceReport", *, error: bool = False) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    verdict = f"valid, level {answer.level}" if answer.valid else "invalid"
    counts = f"errors: {answer.error_count}, warnings: {answer.warning_count}"
    table = Table("", Column("where", overflow="fold"), "what", "hint", title=f"{verdict} ({counts})")
    lists = (("error", answer.errors), ("warning", answer.warnings), ("note", answer.shortfalls))
    for severity, findings in lists:
        for finding in findings:
            table.add_row(severity, escape(finding.path), escape(finding.message), escape(finding.hint or ""))
    wide = (sys.stderr if error else sys.stdout).isatty()
    console = Console(stderr=error, width=None if wide else PIPE_COLUMNS)
    console.print(table if table.row_count else f"{verdict} ({counts})")
