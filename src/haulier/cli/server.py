"""`haulier serve` and `haulier worker`."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier.garbage import without_garbage_collection

if TYPE_CHECKING:
    from socket import socket

    from haulier.server import Companion
    from haulier.settings import Settings

Database = Annotated[str | None, typer.Option(help="sqlite:///path or postgresql://user:password@host/name")]
APPLICATION = "haulier.cli.server:asgi"
STARTUP_FAILURE = 3
"""Exit code of uvicorn if the application fails to start."""
WORKER_HEALTH_TIMEOUT_S = 60
"""Seconds until a worker process that does not answer health checks is replaced. uvicorn's default of 5 is too short
for a busy machine."""


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(serve)
    app.command()(worker)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 selects a free one.")] = None,
    database: Database = None,
    workers: Annotated[int | None, typer.Option(help="Number of server processes.")] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Serve the demo business; creates it in an empty database.")
    ] = False,
) -> None:
    """Start the server.

    Migrates an embedded SQLite database first. Migrate PostgreSQL with `haulier db upgrade`.
    """
    from haulier.metrics import serve_metrics
    from haulier.observability import configure_observability
    from haulier.settings import load_settings

    settings = load_settings(host=host, port=port, database=database, workers=workers, demo=demo or None)
    signal.signal(signal.SIGTERM, _exit_on_signal)
    configure_observability(settings)
    wait_for_database(settings)
    with without_garbage_collection():
        prepare_database(settings)
        link = _setup_link(settings)
    with _settings_in_environment(settings), serve_metrics(settings):
        if settings.server == "granian":
            _serve_with_granian(settings, link)
        else:
            _serve_with_uvicorn(settings, link)


def worker(
    database: Database = None,
    lanes: Annotated[
        str | None, typer.Option(help="Lanes to serve, with the number of parallel jobs: builds=2,default")
    ] = None,
) -> None:
    """Run background jobs until stopped. Running jobs finish first."""
    import asyncio

    from haulier.observability import configure_observability
    from haulier.settings import load_settings

    settings = load_settings(database=database, lanes=lanes)
    signal.signal(signal.SIGTERM, _exit_on_signal)
    configure_observability(settings)
    wait_for_database(settings)
    asyncio.run(_run_worker(settings))


async def _run_worker(settings: "Settings") -> None:
    import asyncio
    import logging

    with without_garbage_collection():
        from haulier.app import build_application, close_connections, make_key_watch, make_node, message_centres
        from haulier.background import background_worker
        from haulier.kernel.queue_watch import measure_jobs
        from haulier.metrics import serve_metrics, worker_metrics
        from haulier.process_monitor import ProcessMonitor, worker_health

    stopped, log = asyncio.Event(), logging.getLogger("haulier.worker")
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    with without_garbage_collection():
        app = build_application(settings)
    await app.database.open()
    monitor, keys = ProcessMonitor(), make_key_watch(app)
    async with (
        keys.watching(),
        make_node(app, settings).joined(),
        monitor.watch(app),
        message_centres(app, hear=True),
        measure_jobs(app),
        background_worker(app, settings.shutdown_grace_s, settings.lanes) as running,
    ):
        with serve_metrics(worker_metrics(settings), worker_health(monitor, running, keys)):
            log.info("the worker is running", extra={"lanes": settings.lanes or "all"})
            await stopped.wait()
            log.info("the worker stops", extra={"grace_s": settings.shutdown_grace_s})
    await close_connections(app)
    await app.database.close()
    log.info("the worker has stopped")


def wait_for_database(settings: "Settings") -> None:
    """Log warnings about settings, and wait for PostgreSQL. Raises `TimeoutError`."""
    import logging

    from haulier.setting_warnings import list_setting_warnings

    for warning in list_setting_warnings(settings):
        logging.getLogger("haulier.settings").warning("%s", warning)
    if not settings.database.startswith("sqlite:"):
        from haulier.adapters.database_wait import wait_for_database

        wait_for_database(settings.database, settings.database_wait_s)


def _exit_on_signal(*_: object) -> None:
    """Exit with code 0 on a stop signal while a process starts.

    uvicorn repeats the signal once everything is finished.
    """
    sys.exit(0)


def asgi():  # an ASGI application, built in each server process from the environment
    """Return the application of a server process."""
    from haulier.observability import configure_observability
    from haulier.settings import load_settings

    settings = load_settings()
    configure_observability(settings)
    with without_garbage_collection():
        from haulier.server import create_asgi_app

        return create_asgi_app(settings, companions=demo_companions(settings))


def demo_companions(settings: "Settings") -> "list[Companion]":
    """Return the live drivers, which only the demo has."""
    if not (settings.demo and settings.demo_live):
        return []
    from haulier.demo.live import live_drivers

    return [live_drivers]


def prepare_database(settings: "Settings") -> None:
    """Migrate the embedded database and create the demo business if requested."""
    from haulier.adapters.revisions import is_at_newest_revision

    if (settings.database.startswith("sqlite") or settings.demo) and not is_at_newest_revision(settings.database):
        _print_line(settings, "migrating the database …")
        _migrate(settings)
    if settings.demo:
        import asyncio
        import logging

        _print_line(settings, "preparing the demo business …")
        from haulier.demo import ensure_demo

        calls = logging.getLogger("haulier.call")
        calls.setLevel("WARNING")  # the seed makes a hundred calls that are not worth logging
        asyncio.run(ensure_demo(settings))
        calls.setLevel("NOTSET")
    _print_line(settings, "starting the server …")


def _migrate(settings: "Settings") -> None:
    """Upgrade the database to the newest revision.

    If modules are left out, a separate process does it, because that imports the tables of all modules.
    """
    if settings.modules is not None:
        command = [sys.executable, "-m", "haulier", "db", "upgrade", "--database", settings.database]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return
    from haulier.adapters.new_schema import upgrade_to_newest_revision
    from haulier.app import load_tables

    load_tables()
    upgrade_to_newest_revision(settings.database)


def _setup_link(settings: "Settings") -> str | None:
    """Return the setup link for a server without accounts, or None.

    Errors are ignored, because a server can start without its database.
    """
    if settings.demo:
        return None
    from haulier.cli.transactions import make_first_link
    from haulier.kernel.pipeline.outages import OUTAGES
    from haulier.settings import InvalidSetting

    with contextlib.suppress(InvalidSetting, OSError, *OUTAGES):
        return make_first_link(settings)
    return None


def print_address(settings: "Settings", setup_link: str | None = None) -> None:
    """Print the server's address, the demo logins and the setup link, if any."""
    _print_line(settings, f"\nHaulier is running on {settings.base_url} (press Ctrl+C to stop)")
    if setup_link:
        _print_setup(settings, setup_link)
    if settings.demo:
        from haulier.app import MAIL_OUTBOX
        from haulier.demo import LOGINS, PASSWORD

        if settings.mail is None:
            _print_line(settings, f"Emails are written to {MAIL_OUTBOX.removeprefix('file:')}.")
        _print_line(settings, f"The password of all logins is {PASSWORD}:")
        for email, who in LOGINS:
            _print_line(settings, f"  {email:<28} {who}")


def _print_setup(settings: "Settings", link: str) -> None:
    """Print the setup link for the first business, or log it.

    It works once, and only the newest one.
    """
    if settings.log_format == "console":
        _print_line(settings, f"There are no accounts yet. Create your business and its owner here:\n\n    {link}\n")
        return
    import logging

    logging.getLogger("haulier.setup").warning("there are no accounts yet", extra={"setup_link": link})


def _print_line(settings: "Settings", text: str) -> None:
    """Print a message. With JSON logs, only prints for the demo."""
    if settings.demo or settings.log_format == "console":
        typer.echo(text)


@contextlib.contextmanager
def _settings_in_environment(settings: "Settings") -> Generator[None]:
    """Pass settings to server processes in the environment.

    Also sets a shared folder for metrics.
    """
    from haulier.settings import export_settings

    export_settings(settings)
    one_process = settings.workers == 1 and settings.server == "uvicorn"  # granian always starts another process
    if one_process or "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="haulier-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        yield


def _serve_with_uvicorn(settings: "Settings", setup_link: str | None) -> None:
    import uvicorn

    from haulier.api.devices.pings import WEB_SOCKETS
    from haulier.api.http_limits import LimitedHttpProtocol

    class AnnouncingServer(uvicorn.Server):
        """A server that prints its address when it is ready."""

        async def startup(self, sockets: list["socket"] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                print_address(settings, setup_link)

    options = dict[str, Any](
        factory=True,
        http=LimitedHttpProtocol,
        **WEB_SOCKETS,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=settings.shutdown_grace_s,
        server_header=False,
    )
    if settings.workers > 1:
        print_address(settings, setup_link)
        uvicorn.run(
            APPLICATION, workers=settings.workers, timeout_worker_healthcheck=WORKER_HEALTH_TIMEOUT_S, **options
        )
        return
    server = AnnouncingServer(uvicorn.Config(APPLICATION, **options))
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(STARTUP_FAILURE)


def _serve_with_granian(settings: "Settings", setup_link: str | None) -> None:
    import multiprocessing

    from haulier.api.http_limits import HEAD_S, MAX_HEAD_BYTES
    from haulier.settings import InvalidSetting

    try:
        from granian.constants import Interfaces
        from granian.http import HTTP1Settings
        from granian.server import Server
    except ImportError:
        raise InvalidSetting("setting 'server' is granian, which is not installed. Install granian.") from None

    # A forked process would inherit locks and pools without their threads.
    multiprocessing.set_start_method("spawn", force=True)
    print_address(settings, setup_link)
    Server(
        APPLICATION,
        factory=True,
        interface=Interfaces.ASGI,
        address=settings.host,
        port=settings.port,
        workers=settings.workers,
        workers_kill_timeout=2 * settings.shutdown_grace_s or 1,
        log_access=False,
        http1_settings=HTTP1Settings(header_read_timeout=round(HEAD_S * 1000), max_buffer_size=MAX_HEAD_BYTES),
    ).serve()
