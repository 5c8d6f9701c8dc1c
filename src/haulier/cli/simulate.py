"""`haulier simulate day`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import TaskID
    from rich.table import Table

    from haulier.simulation.day import SimulatedDay

group = typer.Typer(help="Play the business against a running server.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="simulate")


@group.callback()
def _group() -> None:
    """Play the business against a running server."""


@group.command()
def day(
    orders: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="A CSV of orders.")],
    base_url: Annotated[
        str, typer.Option(envvar="HAULIER_BASE_URL", help="A running demo server.")
    ] = "http://127.0.0.1:8000",
    speed: Annotated[float, typer.Option(min=0, help="60 plays an hour in a minute; 0 does not wait.")] = 0,
) -> None:
    """Play a delivery day over HTTP: take orders, give a third to contractors, drive, and look every parcel up."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from haulier.simulation.day import check_timelines, simulate_day

    console = Console()
    columns = (TextColumn("{task.description:<26}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        bars: dict[str, TaskID] = {}

        def report_progress(label: str, done: int, total: int) -> None:
            if label not in bars:
                bars[label] = progress.add_task(label, total=total)
            progress.update(bars[label], completed=done)

        played = simulate_day(base_url, orders, speed=speed, report_progress=report_progress)
        faults = check_timelines(base_url, played, report_progress)
    console.print(_summary_table(played, faults))
    for fault in faults[:20]:
        console.print(f"[red]{fault}[/red]")
    raise typer.Exit(1 if faults else 0)


def _summary_table(played: "SimulatedDay", faults: list[str]) -> "Table":
    from rich.table import Table

    table = Table("what", "how many", title=f"a day in {played.calls_s:.1f} s")
    for label, count in played.counts.items():
        table.add_row(label, str(count))
    table.add_row("parcels looked up", str(len(played.expected)))
    table.add_row("timelines that do not fit", str(len(faults)))
    return table
