"""`haulier simulate day|carrier|payments|lockers`."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID
    from rich.table import Table

    from haulier.simulation.account import DayAccount
    from haulier.simulation.lockers.town import Town
    from haulier.simulation.record import Mishaps, SimulatedDay

CommandParams = ParamSpec("CommandParams")
BreakdownShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of routes that break down and are reassigned or abandoned. Default 0."),
]
CancellationShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of stops whose order is cancelled during the route. Default 0."),
]
SecondAttemptShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of failed orders that are rescheduled. Default 0."),
]
CodShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of deliveries with cash on delivery. Default 0."),
]

group = typer.Typer(help="Simulate a delivery day, carriers, payments or lockers.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="simulate")


def _report_refusals(command: Callable[CommandParams, None]) -> Callable[CommandParams, None]:
    """Wrap a command to report refused calls and unreachable servers in one line.

    The exit code is then 1.
    """

    @wraps(command)
    def wrapped(*args: CommandParams.args, **options: CommandParams.kwargs) -> None:
        import httpx

        from haulier.simulation.client import RequestRefused

        try:
            return command(*args, **options)
        except RequestRefused as refused:
            message = str(refused)
        except httpx.TransportError as fault:
            message = f"{fault.request.method} {fault.request.url}: {fault}"
        typer.echo(f"haulier: {message}", err=True)
        raise typer.Exit(1)

    return wrapped


@group.callback()
def _group() -> None:
    """Simulate a delivery day, carriers, payments or lockers."""


@group.command()
def carrier(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 8090,
    token_life: Annotated[float, typer.Option(min=0, help="Lifetime of UPS tokens in seconds.")] = 600,
    scan_every: Annotated[float, typer.Option(min=1, help="Seconds between scans of a parcel.")] = 3600,
) -> None:
    """Simulate UPS, ShipEngine, EasyPost and Canada Post.

    Includes labels, voids, manifests and scans. Start the server with HAULIER_CARRIER_SIMULATOR=http://127.0.0.1:8090
    to redirect carrier accounts in test mode. All credentials are valid except the secret `wrong`. POST
    /simulator/faults scripts errors of the next calls.
    """
    import uvicorn

    from haulier.simulation.carriers.book import Book
    from haulier.simulation.carriers.server import simulated_carriers

    app = simulated_carriers(Book(scan_every_s=scan_every), token_life_s=token_life)
    typer.echo(f"simulated carriers on http://127.0.0.1:{port}/ups, /shipengine, /easypost and /canada-post")
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


@group.command()
def payments(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 8091,
) -> None:
    """Simulate Stripe: PaymentIntents, refunds, disputes and signed events.

    Start the server with HAULIER_PAYMENT_SIMULATOR=http://127.0.0.1:8091 to redirect payment accounts in test mode.
    All secret keys are valid except `wrong`. POST /simulator/play acts as payer and bank, /simulator/deliver sends
    events, /simulator/faults scripts errors of the next calls.
    """
    import uvicorn

    from haulier.simulation.payments.server import simulated_stripe

    typer.echo(f"simulated Stripe on http://127.0.0.1:{port}")
    uvicorn.run(simulated_stripe(), host="127.0.0.1", port=port, log_level="warning")


@group.command()
@_report_refusals
def day(
    orders: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="CSV file of orders.")],
    base_url: Annotated[
        str, typer.Option(envvar="HAULIER_BASE_URL", help="Base URL of a running demo server.")
    ] = "http://127.0.0.1:8000",
    speed: Annotated[
        float, typer.Option(min=0, help="Speed factor: 60 plays an hour per minute; 0 does not wait.")
    ] = 0,
    breakdowns: BreakdownShare = None,
    cancellations: CancellationShare = None,
    second_attempts: SecondAttemptShare = None,
    cod: CodShare = None,
    bad_day: Annotated[
        bool, typer.Option("--bad-day", help="Include all kinds of incidents. Explicit shares take precedence.")
    ] = False,
) -> None:
    """Simulate a delivery day over HTTP.

    Takes orders, assigns a third of them to contractors, drives the routes and tracks every parcel. Finally accounts
    for every order, stop and amount. Exits with 1 and names the orders if something is missing.
    """
    from haulier.simulation.record import BAD_DAY, Mishaps

    shares = {
        "breakdowns": breakdowns,
        "cancellations": cancellations,
        "second_attempts": second_attempts,
        "cod": cod,
    }
    given = {name: share for name, share in shares.items() if share is not None}
    _play(orders, base_url, speed, replace(BAD_DAY if bad_day else Mishaps(), **given))


@group.command()
@_report_refusals
def lockers(
    base_url: Annotated[
        str, typer.Option(envvar="HAULIER_BASE_URL", help="Base URL of a running demo server.")
    ] = "http://127.0.0.1:8000",
    cabinets: Annotated[int, typer.Option(min=1, max=5000, help="Number of lockers, each at a separate site.")] = 10,
    boxes: Annotated[int, typer.Option(min=3, max=500, help="Compartments per locker.")] = 30,
    parcels: Annotated[int, typer.Option(min=1, help="Number of parcels.")] = 100,
    bad_town: Annotated[
        bool,
        typer.Option(
            "--bad-town", help="Simulate stuck doors, power cuts, wrong clocks, repeated messages and broken downloads."
        ),
    ] = False,
    wire: Annotated[
        str,
        typer.Option(help="Protocol: http, websocket, mqtt (broker) or mqtt5. The last two need the extra `streams`."),
    ] = "http",
    firmware: Annotated[bool, typer.Option("--firmware", help="Roll out a firmware release.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of random failures.")] = 0,
    email: Annotated[str, typer.Option(help="Email of a staff account.")] = "admin@demo.example",
    password: Annotated[str, typer.Option(envvar="HAULIER_PASSWORD", help="Its password.")] = "haulier-demo",
) -> None:
    """Simulate lockers that register, send heartbeats, open doors and handle parcels.

    Finally checks that every parcel is accounted for and no door was opened twice. Exits with 1 and lists the errors
    otherwise.
    """
    import asyncio

    from rich.console import Console
    from rich.progress import Progress

    from haulier.simulation.lockers.faults import BAD_TOWN, CabinetFaults
    from haulier.simulation.lockers.town import WIRES

    if wire not in WIRES:
        raise typer.BadParameter(f"choose one of {', '.join(WIRES)}", param_hint="--wire")

    console = Console()
    with Progress(console=console, transient=True) as shown:
        tasks = {
            "cabinets": shown.add_task("lockers registered", total=cabinets),
            "parcels": shown.add_task("parcels handled", total=parcels),
        }
        size = {"cabinets": cabinets, "boxes": boxes, "parcels": parcels, "firmware": firmware}
        how: dict[str, Any] = {"faults": BAD_TOWN if bad_town else CabinetFaults(), "seed": seed, "wire": wire}
        how["progress"] = lambda what, count: shown.update(tasks[what], completed=count)
        town = asyncio.run(_play_town(base_url, {"email": email, "password": password}, **size, **how))
    _print_town(console, town)


def _print_town(console: "Console", town: "Town") -> NoReturn:
    console.print(_town_table(town))
    for fault in town.faults:
        console.print(f"[red]{fault}[/red]")
    raise typer.Exit(1 if town.faults else 0)


async def _play_town(base_url: str, people: dict[str, str], **how: Any) -> "Town":
    import httpx

    from haulier.simulation.client import KEPT_S, document_of
    from haulier.simulation.lockers.town import simulate_lockers

    limits = httpx.Limits(max_connections=None, keepalive_expiry=KEPT_S)
    async with httpx.AsyncClient(base_url=f"{base_url.rstrip('/')}/api", timeout=120, limits=limits) as http:
        signed_in = document_of(await http.post("/v1/user/login", json=people))
        return await simulate_lockers(http, signed_in["access_token"], **how)


def _town_table(town: "Town") -> "Table":
    from rich.table import Table

    table = Table("event", "count", title=f"{len(town.cabinets)} lockers in {town.lasted_s:.1f} s")
    for end, count in sorted(town.ends.items()):
        table.add_row(f"parcels {end}", str(count))
    table.add_row("heartbeats", str(town.count("heartbeats")))
    table.add_row("power cuts", str(town.count("power_losses")))
    table.add_row("interrupted downloads", str(town.count("cuts")))
    for share in (0.5, 0.99):
        table.add_row(f"door opening time, p{share * 100:.0f}, ms", f"{town.percentile_s(share) * 1000:.0f}")
    table.add_row("unaccounted for", str(len(town.faults)))
    return table


def _play(orders: Path, base_url: str, speed: float, mishaps: "Mishaps") -> NoReturn:
    """Simulate the day, print the results, and exit."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from haulier.simulation.account import build_day_account, check_timelines
    from haulier.simulation.day import ORDINARY_DAY, simulate_day

    console = Console()
    columns = (TextColumn("{task.description:<26}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        bars: dict[str, TaskID] = {}

        def report_progress(label: str, done: int, total: int) -> None:
            if label not in bars:
                bars[label] = progress.add_task(label, total=total)
            progress.update(bars[label], completed=done)

        played = simulate_day(base_url, orders, mishaps=mishaps, speed=speed, report_progress=report_progress)
        faults = check_timelines(base_url, played, report_progress)
        account = build_day_account(base_url, played, report_progress)
    console.print(_summary_table(played, faults))
    if mishaps != ORDINARY_DAY:
        console.print(_account_table(account))
    for fault in (*faults, *account.faults):
        console.print(f"[red]{fault}[/red]")
    raise typer.Exit(1 if faults or account.faults else 0)


def _summary_table(played: "SimulatedDay", faults: list[str]) -> "Table":
    from rich.table import Table

    table = Table("event", "count", title=f"simulated day in {played.calls_s:.1f} s")
    for label, count in played.counts.items():
        table.add_row(label, str(count))
    table.add_row("parcels tracked", str(len(played.expected)))
    table.add_row("timelines with errors", str(len(faults)))
    return table


def _account_table(account: "DayAccount") -> "Table":
    from rich.table import Table

    from haulier.simulation.account import KNOWN_ENDS

    table = Table("final state", "count", title="reconciliation")
    for end in KNOWN_ENDS:
        table.add_row(f"orders {end}", str(account.ends[end]))
    for name, minor in account.cod.items():
        table.add_row(f"cash on delivery, {name.replace('_', ' ')}, in minor units", str(minor))
    table.add_row("unaccounted for", str(len(account.faults)))
    return table
