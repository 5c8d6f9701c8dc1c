"""`haulier config`: effective settings and their check."""

import typer

from haulier.cli.output import AsJson, print_records
from haulier.cli.server import Database

group = typer.Typer(help="Show and check settings.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="config")


@group.command("show")
def show_settings(as_json: AsJson = False) -> None:
    """Show every setting with its value and source. Secrets are masked."""
    from haulier.settings import list_settings

    rows = [{"setting": each.name, "value": each.value, "source": each.source} for each in list_settings()]
    print_records(rows, ("setting", "value", "source"), as_json=as_json)


@group.command("check")
def check_settings() -> None:
    """Check the settings without connecting to anything.

    Prints warnings. Exits with 1 for an invalid setting.
    """
    from haulier.app import build_application
    from haulier.background import parse_queues
    from haulier.setting_warnings import list_setting_warnings
    from haulier.settings import load_settings

    settings = load_settings()
    parse_queues(build_application(settings), settings.lanes)
    for warning in list_setting_warnings(settings):
        typer.echo(f"warning: {warning}", err=True)
    typer.echo("the settings are valid")


@group.command("forget-keys")
def forget_lost_keys(database: Database = None) -> None:
    """Accept the keys of the settings after the old keys were lost.

    Servers are ready again. Secrets encrypted with lost keys stay unreadable and must be entered again.
    """
    import asyncio

    from haulier.adapters.database import database_for
    from haulier.key_watch import clear_keys
    from haulier.settings import load_settings

    async def run() -> int:
        opened = database_for(load_settings(database=database).database)
        await opened.open()
        try:
            async with opened.write(None) as work:
                return await clear_keys(work)
        finally:
            await opened.close()

    forgotten = asyncio.run(run())
    typer.echo(f"{forgotten} keys forgotten" if forgotten else "no keys to forget (unchanged)")


@group.command("rate-limits")
def list_rate_limits(as_json: AsJson = False) -> None:
    """List the rate limits of operations, with the factors of the settings."""
    from haulier.app import registry
    from haulier.kernel.http.rate_limits import parse_rate_limit_factors, scale_limit
    from haulier.settings import load_settings

    factors = parse_rate_limit_factors(load_settings().rate_limit_factors)
    rows = [
        {
            "operation": operation.name,
            "times": scale_limit(limit, operation.name, factors).times,
            "seconds": limit.seconds,
            "by": list(limit.by),
            "counts": "failures" if limit.failures else "calls",
        }
        for operation in sorted(registry(), key=lambda each: each.name)
        for limit in operation.limits
    ]
    print_records(rows, ("operation", "times", "seconds", "by", "counts"), as_json=as_json)
