"""`haulier serve` and `haulier worker`."""

import asyncio
import os
import signal
import tempfile
from typing import Annotated

import typer
import uvicorn

from haulier import settings as settings_module
from haulier.observability import configure
from haulier.settings import Settings

Database = Annotated[str | None, typer.Option(help="sqlite:///path or postgresql://user:password@host/name")]


def add_to(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.command()(serve)
    app.command()(worker)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    database: Database = None,
    workers: Annotated[int | None, typer.Option(help="Server processes.")] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Serve the demo business, made when the database is empty.")
    ] = False,
) -> None:
    """Serve every door. The embedded SQLite database is migrated first; PostgreSQL is migrated by `haulier db upgrade`."""
    settings = settings_module.load(
        host=host, port=port, database=database, workers=workers, demo=demo or None, base_url=_base_url(host, port)
    )
    configure(settings)
    prepare(settings)
    _pass_on(settings)
    if settings.server == "granian":
        _granian(settings)
    else:
        uvicorn.run(
            "haulier.cli.serving:asgi",
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=settings.workers if settings.workers > 1 else None,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=settings.shutdown_grace_s,
            server_header=False,
        )


def worker(database: Database = None) -> None:
    """Run background work (outbox, batches, webhooks) until stopped; running jobs finish first."""
    settings = settings_module.load(database=database)
    configure(settings)
    asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    from haulier.app import build_house
    from haulier.server import background

    house = build_house(settings)
    await house.database.open()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with background(house, settings):
        await stopped.wait()
    await house.database.close()


def asgi():  # an ASGI application, built anew in each server process from the environment
    """The application that a server process runs."""
    from haulier.server import application

    settings = settings_module.load()
    configure(settings)
    return application(settings)


def prepare(settings: Settings) -> None:
    """Migrate the embedded database, and make the demo business when asked and the database is empty."""
    from haulier.adapters.migrations import upgrade
    from haulier.demo import ensure_demo

    if settings.database.startswith("sqlite") or settings.demo:
        upgrade(settings.database)
    if settings.demo:
        asyncio.run(ensure_demo(settings))
        typer.echo(f"Haulier on {settings.base_url}  (demo; password of every login: haulier-demo)")
        from haulier.demo import LOGINS

        for email, who in LOGINS:
            typer.echo(f"  {email:<28} {who}")


def _base_url(host: str | None, port: int | None) -> str | None:
    if "HAULIER_BASE_URL" in os.environ or (host is None and port is None):
        return None
    return f"http://{host or '127.0.0.1'}:{port or 8000}"


def _pass_on(settings: Settings) -> None:
    """Server processes read the environment: give them what this command line decided."""
    for name, value in settings.model_dump(exclude_none=True).items():
        os.environ[f"HAULIER_{name.upper()}"] = str(value).lower() if isinstance(value, bool) else str(value)
    if settings.workers > 1:
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="haulier-metrics-"))


def _granian(settings: Settings) -> None:
    from granian.constants import Interfaces
    from granian.server import Server

    Server(
        "haulier.cli.serving:asgi",
        factory=True,
        interface=Interfaces.ASGI,
        address=settings.host,
        port=settings.port,
        workers=settings.workers,
        log_access=False,
    ).serve()
