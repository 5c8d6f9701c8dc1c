"""`haulier db`: migrations, copies and distribution of the database."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from haulier.cli.output import AsJson, print_records
from haulier.cli.server import Database

if TYPE_CHECKING:
    from sqlalchemy import Table

    from haulier.adapters.citus import TableStep
    from haulier.adapters.database_copy import TableSum

group = typer.Typer(help="Migrate, copy and distribute the database.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="db")


@group.command()
def upgrade(
    revision: Annotated[str, typer.Argument(help="Target revision.")] = "head", database: Database = None
) -> None:
    """Upgrade the database to a revision, by default the newest. Waits for PostgreSQL."""
    _wait_for_database(database)
    if revision == "head":
        from haulier.adapters.new_schema import upgrade_to_newest_revision
        from haulier.adapters.revisions import newest_revision
        from haulier.garbage import without_garbage_collection

        with without_garbage_collection():
            from haulier.app import load_tables

            load_tables()
        upgrade_to_newest_revision(_database_url(database))
        typer.echo(f"at {newest_revision()}")
        return
    from haulier.adapters import migrations

    _run_migration(migrations.upgrade_schema, _database_url(database), revision)


@group.command(context_settings={"ignore_unknown_options": True})  # -1 is a revision
def downgrade(
    revision: Annotated[str, typer.Argument(help="Target revision, -1 or base.")], database: Database = None
) -> None:
    """Downgrade the database to an earlier revision."""
    from haulier.adapters import migrations

    _run_migration(migrations.downgrade_schema, _database_url(database), revision)


@group.command()
def current(database: Database = None) -> None:
    """Print the current revision of the database."""
    from haulier.adapters import migrations

    typer.echo(migrations.current_revision(_database_url(database)) or "empty")


@group.command()
def pending(as_json: AsJson = False, database: Database = None) -> None:
    """List pending migrations with their phase.

    `expand` works beside servers of the version before; stop them before `contract`.
    """
    from haulier.adapters import migrations
    from haulier.adapters.revisions import phases_of_revisions

    phases = phases_of_revisions()
    rows = [
        {"revision": revision, "phase": phases[revision]}
        for revision in migrations.pending_revisions(_database_url(database))
    ]
    print_records(rows, ("revision", "phase"), as_json=as_json)


@group.command()
def distribute(
    database: Database = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the planned steps without running them.")] = False,
    shards: Annotated[int, typer.Option(min=1, max=10_000, help="Shards per distributed table.")] = 32,
) -> None:
    """Distribute a PostgreSQL database by client with Citus.

    Repeat after each upgrade.

    Stop servers and workers first, and connect as a role that bypasses row-level security.
    """
    from haulier.adapters import citus, migrations
    from haulier.app import load_tables
    from haulier.kernel.data.tables import metadata

    load_tables()
    if dry_run:
        for step in citus.plan_distribution(metadata.sorted_tables):
            typer.echo(f"-- {step.table}: {step.placement} ({step.why})")
            for statement in step.statements:
                typer.echo(f"{statement};")
        return
    url = _database_url(database)
    try:
        if url.startswith("sqlite"):
            raise citus.NotDistributable("SQLite runs on one machine. Only PostgreSQL can be distributed.")
        if pending := migrations.pending_revisions(url):
            raise citus.NotDistributable(f"{len(pending)} migrations are pending. Run haulier db upgrade first.")
        citus.distribute_database(url, metadata.sorted_tables, shards=shards, on_step=_print_step)
    except citus.NotDistributable as reason:
        typer.echo(f"not distributed: {reason}", err=True)
        raise typer.Exit(1) from None


@group.command()
def copy(
    source: Annotated[str, typer.Argument(help="SQLite database to copy: sqlite:///var/haulier.db")],
    target: Annotated[str, typer.Argument(help="Empty PostgreSQL database: postgresql://haulier@host/haulier")],
    commit_every: Annotated[int, typer.Option(min=1, help="Rows of a table in one transaction.")] = 50_000,
) -> None:
    """Copy a SQLite database into an empty PostgreSQL database.

    The source must be in maintenance, without workers, and can be read meanwhile. Repeat an interrupted copy: it continues
    after the last transaction.
    """
    import asyncio

    from haulier.adapters.database_copy import NotCopyable
    from haulier.adapters.new_schema import upgrade_to_newest_revision
    from haulier.app import load_tables

    load_tables()
    try:
        _require_copyable(source, target)
        upgrade_to_newest_revision(target)
        asyncio.run(_copy_rows(source, target, commit_every))
    except NotCopyable as reason:
        typer.echo(f"not copied: {reason}", err=True)
        raise typer.Exit(1) from None


def _require_copyable(source: str, target: str) -> None:
    from haulier.adapters.database_copy import NotCopyable
    from haulier.adapters.revisions import is_at_newest_revision

    if not source.startswith("sqlite:///") or not target.startswith(("postgresql://", "postgres://")):
        raise NotCopyable("the source is sqlite:///file, the target postgresql://…")
    if not Path(source.removeprefix("sqlite:///")).is_file():
        raise NotCopyable(f"there is no file {source.removeprefix('sqlite:///')}")
    if not is_at_newest_revision(source):
        raise NotCopyable("migrations of the source are pending. Run haulier db upgrade first.")


async def _copy_rows(source: str, target: str, commit_every: int) -> None:
    from haulier.adapters.database import database_for
    from haulier.adapters.database_copy import Copy, NotCopyable, create_progress, drop_progress, set_next_numbers
    from haulier.adapters.postgres import Postgres
    from haulier.kernel.data.tables import metadata
    from haulier.kernel.maintenance import find_maintenance

    origin, copied = database_for(source), Postgres(target)
    await origin.open()
    await copied.open()
    try:
        async with origin.read(None) as work:
            if await find_maintenance(work) is None:
                raise NotCopyable(f"the source takes writes. Run haulier maintenance start --database {source} first.")
        if copied.distributed:
            raise NotCopyable("Citus is in use. Copy into a PostgreSQL without Citus and distribute it then.")
        await create_progress(target)
        await Copy(origin, copied, _print_table, _print_part, commit_every).run(metadata.sorted_tables)
        await set_next_numbers(Path(source.removeprefix("sqlite:///")), target)
        await drop_progress(target)
    finally:
        await copied.close()
        await origin.close()
    typer.echo(f"copied. Start the servers with HAULIER_DATABASE={target}; the source stays in maintenance.")


def _print_table(table: "Table", total: "TableSum", copied_before: bool) -> None:
    typer.echo(f"{table.name}: {total}{' (unchanged)' if copied_before else ''}")


def _print_part(table: "Table", total: "TableSum") -> None:
    typer.echo(f"{table.name}: {total.rows} rows so far", err=True)


def _print_step(step: "TableStep", done_before: bool) -> None:
    note = " (unchanged)" if done_before else ""
    typer.echo(f"{step.table}: {step.placement}{note}")


def _run_migration(step: Callable[[str, str], None], url: str, revision: str) -> None:
    from alembic.util import CommandError

    from haulier.adapters import migrations

    try:
        step(url, revision)
    except CommandError as fault:
        raise typer.BadParameter(str(fault), param_hint="REVISION") from None
    typer.echo(f"at {migrations.current_revision(url) or 'empty'}")


def _wait_for_database(database: str | None) -> None:
    from haulier.settings import load_settings

    url = _database_url(database)
    if not url.startswith("sqlite:"):
        from haulier.adapters.database_wait import wait_for_database

        wait_for_database(url, load_settings(database=database).database_wait_s)


def _database_url(database: str | None) -> str:
    from haulier.settings import load_settings

    settings = load_settings(database=database)
    return database or settings.database_direct or settings.database
