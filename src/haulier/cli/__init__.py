"""The command line: `haulier --help` lists it. Each file is one group of commands.

Listing commands takes no settings and no contexts: what a command needs is imported where it runs.
"""

import sys

import typer

from haulier.cli import (
    analytics,
    apps,
    audit,
    channel,
    database,
    documents,
    features,
    ledger,
    otep,
    places,
    providers,
    publish,
    server,
    simulate,
    users,
)

app = typer.Typer(
    name="haulier",
    help="Haulier: orders, contractors, drivers, routes and every parcel's journey.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
server.register_commands(app)
database.register_commands(app)
users.register_commands(app)
apps.register_commands(app)
channel.register_commands(app)
features.register_commands(app)
providers.register_commands(app)
documents.register_commands(app)
otep.register_commands(app)
places.register_commands(app)
ledger.register_commands(app)
audit.register_commands(app)
analytics.register_commands(app)
publish.register_commands(app)
simulate.register_commands(app)


def main() -> None:
    """Run the command line; a bad setting, or a database that is not there, is one clear sentence, not a traceback."""
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
            sys.exit(f"haulier: the database says: {fault}")
        raise
