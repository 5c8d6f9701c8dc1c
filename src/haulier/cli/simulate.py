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

Told = ParamSpec("Told")
BreakdownShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of routes that break down: handed over, or given up; 0 when left out."),
]
CancellationShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of stops whose order is cancelled under way; 0 when left out."),
]
SecondAttemptShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of failed orders that are rescheduled; 0 when left out."),
]
CodShare = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Share of deliveries with cash on delivery; 0 when left out."),
]

group = typer.Typer(
    help="Play the business against a running server, or a carrier or Stripe for one.", no_args_is_help=True
)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="simulate")


def _tells_refusals(command: Callable[Told, None]) -> Callable[Told, None]:
    """A command for which a call that a server refuses, or a server that is not there, is one line and the exit code 1."""

    @wraps(command)
    def told(*args: Told.args, **options: Told.kwargs) -> None:
        import httpx

        from haulier.simulation.client import RequestRefused

        try:
            return command(*args, **options)
        except RequestRefused as refused:
            said = str(refused)
        except httpx.TransportError as fault:
            said = f"{fault.request.method} {fault.request.url}: {fault}"
        typer.echo(f"haulier: {said}", err=True)
        raise typer.Exit(1)

    return told


@group.callback()
def _group() -> None:
    """Play the business against a running server, or a carrier or Stripe for one."""


@group.command()
def carrier(
    port: Annotated[int, typer.Option(help="The port of 127.0.0.1.")] = 8090,
    token_life: Annotated[float, typer.Option(min=0, help="For how many seconds a token of UPS is good.")] = 600,
    scan_every: Annotated[float, typer.Option(min=1, help="Seconds until a parcel's next scan.")] = 3600,
) -> None:
    """Be UPS, ShipEngine, EasyPost and Canada Post, with labels, voids, manifests and scans, and fail where told to.

    Give a server HAULIER_CARRIER_SIMULATOR=http://127.0.0.1:8090: its accounts in test mode then come here. Any credentials are
    right but the secret `wrong`. POST /simulator/faults scripts what goes wrong with the next calls.
    """
    import uvicorn

    from haulier.simulation.carriers.book import Book
    from haulier.simulation.carriers.server import simulated_carriers

    app = simulated_carriers(Book(scan_every_s=scan_every), token_life_s=token_life)
    typer.echo(f"simulated carriers on http://127.0.0.1:{port}/ups, /shipengine, /easypost and /canada-post")
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


@group.command()
def payments(
    port: Annotated[int, typer.Option(help="The port of 127.0.0.1.")] = 8091,
) -> None:
    """Be Stripe: PaymentIntents, refunds, disputes and signed events, and fail where told to.

    Give a server HAULIER_PAYMENT_SIMULATOR=http://127.0.0.1:8091: its payment account in test mode then comes here. Any
    secret key is right but `wrong`. POST /simulator/play is the payer and the bank, /simulator/deliver sends the events,
    /simulator/faults scripts what goes wrong with the next calls.
    """
    import uvicorn

    from haulier.simulation.payments.server import simulated_stripe

    typer.echo(f"a simulated Stripe on http://127.0.0.1:{port}")
    uvicorn.run(simulated_stripe(), host="127.0.0.1", port=port, log_level="warning")


@group.command()
@_tells_refusals
def day(
    orders: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="A CSV of orders.")],
    base_url: Annotated[
        str, typer.Option(envvar="HAULIER_BASE_URL", help="A running demo server.")
    ] = "http://127.0.0.1:8000",
    speed: Annotated[float, typer.Option(min=0, help="60 plays an hour in a minute; 0 does not wait.")] = 0,
    breakdowns: BreakdownShare = None,
    cancellations: CancellationShare = None,
    second_attempts: SecondAttemptShare = None,
    cod: CodShare = None,
    bad_day: Annotated[
        bool, typer.Option("--bad-day", help="Some of everything that can go wrong, except for shares that are given.")
    ] = False,
) -> None:
    """Play a delivery day over HTTP: take orders, give a third to contractors, drive, and look every parcel up.

    At the end every order, stop and amount is accounted for. Exits with 1, naming the orders, where one is not.
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
@_tells_refusals
def lockers(
    base_url: Annotated[
        str, typer.Option(envvar="HAULIER_BASE_URL", help="A running demo server.")
    ] = "http://127.0.0.1:8000",
    cabinets: Annotated[int, typer.Option(min=1, max=5000, help="How many cabinets, each at a site of its own.")] = 10,
    boxes: Annotated[int, typer.Option(min=3, max=500, help="Boxes of a cabinet.")] = 30,
    parcels: Annotated[int, typer.Option(min=1, help="Parcels that go through them.")] = 100,
    bad_town: Annotated[
        bool,
        typer.Option(
            "--bad-town", help="Doors stick, power goes, clocks are wrong, messages come twice, downloads break off."
        ),
    ] = False,
    wire: Annotated[
        str,
        typer.Option(
            help="How they speak: http, websocket, mqtt (at a broker) or mqtt5; the last two need the extra `streams`."
        ),
    ] = "http",
    firmware: Annotated[bool, typer.Option("--firmware", help="Roll a release out to all meanwhile.")] = False,
    seed: Annotated[int, typer.Option(help="The same number fails the same way.")] = 0,
    email: Annotated[str, typer.Option(help="Somebody of the office.")] = "admin@demo.example",
    password: Annotated[str, typer.Option(envvar="HAULIER_PASSWORD", help="Their password.")] = "haulier-demo",
) -> None:
    """Be a town of locker cabinets: they register, beat, open doors, and parcels go in and out.

    At the end every parcel is accounted for, and no door was opened twice. Exits with 1, naming what is wrong, else.
    """
    import asyncio

    from rich.console import Console
    from rich.progress import Progress

    from haulier.simulation.lockers.faults import BAD_TOWN, CabinetFaults
    from haulier.simulation.lockers.town import WIRES

    if wire not in WIRES:
        raise typer.BadParameter(f"one of {', '.join(WIRES)}", param_hint="--wire")

    console = Console()
    with Progress(console=console, transient=True) as shown:
        tasks = {
            "cabinets": shown.add_task("cabinets registered", total=cabinets),
            "parcels": shown.add_task("parcels through", total=parcels),
        }
        size = {"cabinets": cabinets, "boxes": boxes, "parcels": parcels, "firmware": firmware}
        how: dict[str, Any] = {"faults": BAD_TOWN if bad_town else CabinetFaults(), "seed": seed, "wire": wire}
        how["progress"] = lambda what, count: shown.update(tasks[what], completed=count)
        town = asyncio.run(_play_town(base_url, {"email": email, "password": password}, **size, **how))
    _tell_town(console, town)


def _tell_town(console: "Console", town: "Town") -> NoReturn:
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

    table = Table("what", "how many", title=f"a town of {len(town.cabinets)} cabinets in {town.lasted_s:.1f} s")
    for end, count in sorted(town.ends.items()):
        table.add_row(f"parcels {end}", str(count))
    table.add_row("heartbeats", str(town.count("heartbeats")))
    table.add_row("losses of power", str(town.count("power_losses")))
    table.add_row("downloads cut", str(town.count("cuts")))
    for share in (0.5, 0.99):
        table.add_row(
            f"from asking until the door opened, p{share * 100:.0f}, ms", f"{town.percentile_s(share) * 1000:.0f}"
        )
    table.add_row("unaccounted for", str(len(town.faults)))
    return table


def _play(orders: Path, base_url: str, speed: float, mishaps: "Mishaps") -> NoReturn:
    """Play the day, print what happened and the account of it, and exit."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from haulier.simulation.account import check_timelines, take_account
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
        account = take_account(base_url, played, report_progress)
    console.print(_summary_table(played, faults))
    if mishaps != ORDINARY_DAY:
        console.print(_account_table(account))
    for fault in (*faults, *account.faults):
        console.print(f"[red]{fault}[/red]")
    raise typer.Exit(1 if faults or account.faults else 0)


def _summary_table(played: "SimulatedDay", faults: list[str]) -> "Table":
    from rich.table import Table

    table = Table("what", "how many", title=f"a day in {played.calls_s:.1f} s")
    for label, count in played.counts.items():
        table.add_row(label, str(count))
    table.add_row("parcels looked up", str(len(played.expected)))
    table.add_row("timelines that do not fit", str(len(faults)))
    return table


def _account_table(account: "DayAccount") -> "Table":
    from rich.table import Table

    from haulier.simulation.account import KNOWN_ENDS

    table = Table("at the end", "how many", title="the account")
    for end in KNOWN_ENDS:
        table.add_row(f"orders {end}", str(account.ends[end]))
    for name, minor in account.cod.items():
        table.add_row(f"cash on delivery, {name.replace('_', ' ')}, in minor units", str(minor))
    table.add_row("unaccounted for", str(len(account.faults)))
    return table
