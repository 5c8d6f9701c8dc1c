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

    from haulier.settings import Settings

Database = Annotated[str | None, typer.Option(help="sqlite:///path or postgresql://user:password@host/name")]
APPLICATION = "haulier.cli.server:asgi"
STARTUP_FAILURE = 3
"""Exit code of uvicorn when the application does not start."""
WORKER_HEALTH_TIMEOUT_S = 60
"""Seconds without an answer to a health check after which a worker is replaced. On a busy machine, uvicorn's 5 are too few."""


def register_commands(app: typer.Typer) -> None:
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
    from haulier.metrics import serve_metrics
    from haulier.observability import configure_observability
    from haulier.settings import load_settings

    settings = load_settings(host=host, port=port, database=database, workers=workers, demo=demo or None)
    signal.signal(signal.SIGTERM, _exit_on_signal)
    configure_observability(settings)
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
        str | None, typer.Option(help="The lanes to serve, and how many jobs of each at once: builds=2,default")
    ] = None,
) -> None:
    """Run background work (outbox, batches, webhooks, searches) until stopped; running jobs finish first."""
    import asyncio

    from haulier.observability import configure_observability
    from haulier.settings import load_settings

    settings = load_settings(database=database, lanes=lanes)
    configure_observability(settings)
    asyncio.run(_run_worker(settings))


async def _run_worker(settings: "Settings") -> None:
    import asyncio

    with without_garbage_collection():
        from haulier.app import build_application, close_connections, make_node, message_centres
        from haulier.background import background_worker

    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    with without_garbage_collection():
        app = build_application(settings)
    await app.database.open()
    async with (
        make_node(app, settings).joined(),
        message_centres(app, hear=True),
        background_worker(app, settings.shutdown_grace_s, settings.lanes),
    ):
        await stopped.wait()
    await close_connections(app)
    await app.database.close()


def _exit_on_signal(*_: object) -> None:
    """Exit with code 0 after a signal to stop. Uvicorn repeats the signal once everything is finished."""
    sys.exit(0)


def asgi():  # an ASGI application, built anew in each server process from the environment
    """The application that a server process runs."""
    from haulier.observability import configure_observability
    from haulier.settings import load_settings

    settings = load_settings()
    configure_observability(settings)
    with without_garbage_collection():
        from haulier.server import create_asgi_app

        return create_asgi_app(settings)


def prepare_database(settings: "Settings") -> None:
    """Migrate the embedded database, and make the demo business when asked and the database is empty."""
    from haulier.adapters.revisions import is_at_newest_revision

    if (settings.database.startswith("sqlite") or settings.demo) and not is_at_newest_revision(settings.database):
        _tell(settings, "migrating the database …")
        _migrate(settings)
    if settings.demo:
        import asyncio
        import logging

        _tell(settings, "looking for the demo business, making it in an empty database …")
        from haulier.demo import ensure_demo

        calls = logging.getLogger("haulier.call")
        calls.setLevel("WARNING")  # the seed makes a hundred calls, which are not worth logging
        asyncio.run(ensure_demo(settings))
        calls.setLevel("NOTSET")
    _tell(settings, "starting the server …")


def _migrate(settings: "Settings") -> None:
    """Bring the database to the newest revision.

    If modules are left out, another process migrates, because that imports the tables of all modules.
    """
    if settings.modules is not None:
        command = [sys.executable, "-m", "haulier", "db", "upgrade", "--database", settings.database]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return
    from haulier.adapters.new_schema import bring_to_newest_revision
    from haulier.app import load_tables

    load_tables()
    bring_to_newest_revision(settings.database)


def _setup_link(settings: "Settings") -> str | None:
    """What the log tells whoever runs a server without any account. Why not a fault: a server starts without its database."""
    if settings.demo:
        return None
    from haulier.cli.transactions import make_first_link
    from haulier.kernel.pipeline.outages import OUTAGES
    from haulier.settings import InvalidSetting

    with contextlib.suppress(InvalidSetting, OSError, *OUTAGES):
        return make_first_link(settings)
    return None


def announce_address(settings: "Settings", setup_link: str | None = None) -> None:
    """Print where the server is and, for the demo, the logins; where nobody has an account, how the first one is made."""
    _tell(settings, f"\nHaulier is on {settings.base_url} (Ctrl+C stops it)")
    if setup_link:
        _tell_setup(settings, setup_link)
    if settings.demo:
        from haulier.app import MAIL_OUTBOX
        from haulier.demo import LOGINS, PASSWORD

        if settings.mail is None:
            _tell(settings, f"E-mails to people and recipients go into {MAIL_OUTBOX.removeprefix('file:')}.")
        _tell(settings, f"The password of every login is {PASSWORD}:")
        for email, who in LOGINS:
            _tell(settings, f"  {email:<28} {who}")


def _tell_setup(settings: "Settings", link: str) -> None:
    """Tell the link that makes the first business, in the log where only that is written. It works once, the newest alone."""
    if settings.log_format == "console":
        _tell(settings, f"Nobody has an account here yet. Make your business and yourself its owner:\n\n    {link}\n")
        return
    import logging

    logging.getLogger("haulier.setup").warning("nobody has an account here yet", extra={"setup_link": link})


def _tell(settings: "Settings", text: str) -> None:
    """Print a text for people. With JSON logs only the log is written, except for the demo's logins."""
    if settings.demo or settings.log_format == "console":
        typer.echo(text)


@contextlib.contextmanager
def _settings_in_environment(settings: "Settings") -> Generator[None]:
    """Server processes read the environment: set what this command line decided, and a folder for shared metrics."""
    for name, value in settings.model_dump(exclude_none=True).items():
        os.environ[f"HAULIER_{name.upper()}"] = str(value).lower() if isinstance(value, bool) else str(value)
    one_process = settings.workers == 1 and settings.server == "uvicorn"  # granian serves from a process of its own
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
        """A server that prints its address once it answers."""

        async def startup(self, sockets: list["socket"] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                announce_address(settings, setup_link)

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
        announce_address(settings, setup_link)
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
        raise InvalidSetting("setting 'server' is granian, which is not installed: install granian") from None

    # A forked process would inherit locks and pools without their threads, such as those that hashed the demo's passwords.
    multiprocessing.set_start_method("spawn", force=True)
    announce_address(settings, setup_link)
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
