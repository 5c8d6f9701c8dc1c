"""`haulier audit verify`: verify the audit trail."""

import typer

from haulier.cli.server import Database

MAX_LISTED = 20

group = typer.Typer(help="Verify the audit trail.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="audit")


@group.callback()
def _group() -> None:
    """Verify the audit trail."""


@group.command("verify")
def verify(database: Database = None) -> None:
    """Verify the audit trail of every client.

    Read-only; can run next to a live server. Needs the server's HAULIER_SECRETS_KEYS or HAULIER_SIGNING_FOLDER. Exits
    with 1 and names the entry if one was changed, removed or inserted.
    """
    import asyncio
    from pathlib import Path

    from haulier.adapters.database import database_for
    from haulier.adapters.key_ring import KeyRing
    from haulier.kernel.pipeline.audit_verification import AuditVerification, list_owners, verify_audit_trail
    from haulier.kernel.values.sealing import set_sealing_source
    from haulier.settings import load_settings

    settings = load_settings(database=database)
    set_sealing_source(KeyRing(settings.secrets_keys, Path(settings.signing_folder)).keys)

    async def run() -> list[AuditVerification]:
        opened = database_for(settings.database)
        await opened.open()
        try:
            async with opened.read(None) as work:
                return [await verify_audit_trail(work, owner) for owner in await list_owners(work)]
        finally:
            await opened.close()

    results = asyncio.run(run())
    for result in results:
        who = f"client {result.owner}" if result.owner else "no client"
        for fault in result.faults[:MAX_LISTED]:
            typer.echo(f"{who}: entry {fault.entry_id} {fault.text}", err=True)
        typer.echo(
            f"{who}: {result.entries} entries, {result.erased} erased, {result.removed} removed by retention,"
            f" {result.unsealed} not sealed yet; newest seal {result.seals} {result.newest_seal}"
        )
    if any(result.faults for result in results):
        raise typer.Exit(1)
    typer.echo("the audit trail is intact")
