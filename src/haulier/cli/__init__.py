"""The command line. Each module is one group of commands.

Commands import what they need when they run, so that listing them needs no settings and no contexts.
"""

import sys
from typing import Annotated

import typer

from haulier.cli import (
    analytics,
    apps,
    audit,
    channel,
    clients,
    config,
    database,
    doctor,
    documents,
    features,
    jobs,
    ledger,
    maintenance,
    otep,
    places,
    providers,
    publish,
    regions,
    server,
    sessions,
    simulate,
    users,
)

app = typer.Typer(
    name="haulier",
    help="Haulier: orders, contractors, drivers, routes and parcel tracking.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
server.register_commands(app)
database.register_commands(app)
config.register_commands(app)
users.register_commands(app)
sessions.register_commands(app)
clients.register_commands(app)
jobs.register_commands(app)
maintenance.register_commands(app)
doctor.register_commands(app)
apps.register_commands(app)
channel.register_commands(app)
features.register_commands(app)
providers.register_commands(app)
documents.register_commands(app)
otep.register_commands(app)
places.register_commands(app)
regions.register_commands(app)
ledger.register_commands(app)
audit.register_commands(app)
analytics.register_commands(app)
publish.register_commands(app)
simulate.register_commands(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from haulier import __version__

        typer.echo(f"haulier {__version__}")
        raise typer.Exit


@app.callback()
def set_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Haulier: orders, contractors, drivers, routes and parcel tracking."""


def main() -> None:
    """Run the command line.

    A bad setting or an unavailable database is reported in one sentence.
    """
    try:
        app()
    except OSError as fault:
        sys.exit(f"haulier: {fault}")
    except Exception as fault:
        from asyncpg import PostgresError

        from haulier.adapters.revisions import OutdatedDatabase
        from haulier.settings import InvalidSetting

        if isinstance(fault, InvalidSetting | OutdatedDatabase):
            sys.exit(f"haulier: {fault}")
        if isinstance(fault, PostgresError):
            sys.exit(f"haulier: database error: {fault}")
        raise
