"""`haulier job`: background jobs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier.cli.output import AsJson, print_record, print_records
from haulier.cli.server import Database
from haulier.cli.transactions import run_in_transaction
from haulier.kernel.values.job_states import JobState

if TYPE_CHECKING:
    from haulier.kernel.background.job_console import JobRow
    from haulier.kernel.data.unit_of_work import UnitOfWork

group = typer.Typer(help="List, show, retry and cancel background jobs.", no_args_is_help=True)
JobId = Annotated[int, typer.Argument(help="Id of the job.")]
COLUMNS = ("id", "kind", "lane", "state", "attempts", "run_at", "client_id", "last_error")
COUNT_COLUMNS = ("lane", "kind", "state", "jobs", "oldest")
MEMBERS = (*COLUMNS, "max_attempts", "owner", "created_at", "finished_at")


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="job")


@group.command("list")
def list_jobs(
    state: Annotated[JobState | None, typer.Option(help="Only jobs in this state.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    lane: Annotated[str | None, typer.Option(help="Only jobs of this lane.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of jobs.")] = 50,
    as_json: AsJson = False,
    database: Database = None,
) -> None:
    """List jobs, newest first."""
    from haulier.kernel.background import job_console

    async def read(work: "UnitOfWork") -> list[dict[str, Any]]:
        rows = await job_console.list_jobs(work, state=state, kind=kind, lane=lane, limit=limit)
        return [_to_record(row) for row in rows]

    print_records(run_in_transaction(database, read), COLUMNS, as_json=as_json)


@group.command("count")
def count_jobs(as_json: AsJson = False, database: Database = None) -> None:
    """Count unfinished and dead jobs by lane, kind and state."""
    from haulier.kernel.background import job_console

    async def read(work: "UnitOfWork") -> list[dict[str, Any]]:
        rows = await job_console.count_jobs(work)
        return [{name: getattr(row, name) for name in COUNT_COLUMNS} for row in rows]

    print_records(run_in_transaction(database, read), COUNT_COLUMNS, as_json=as_json)


@group.command("show")
def show_job(job_id: JobId, as_json: AsJson = False, database: Database = None) -> None:
    """Show a job. Its arguments are not shown, because they can hold personal data."""

    async def read(work: "UnitOfWork") -> dict[str, Any]:
        return _to_record(await _require_job(work, job_id))

    print_record(run_in_transaction(database, read), as_json=as_json)


@group.command("retry")
def retry_jobs(
    job_ids: Annotated[list[int] | None, typer.Argument(help="Ids of dead jobs.")] = None,
    kind: Annotated[str | None, typer.Option(help="Retry all dead jobs of this kind.")] = None,
    database: Database = None,
) -> None:
    """Run dead jobs again."""
    from haulier.kernel.background import job_console
    from haulier.kernel.data.clock import utc_now

    if bool(job_ids) is (kind is not None):
        raise typer.BadParameter("give ids or a kind", param_hint="JOB_IDS, --kind")

    async def retry(work: "UnitOfWork") -> int:
        chosen = job_ids or [
            row.id for row in await job_console.list_jobs(work, state=JobState.DEAD, kind=kind, lane=None, limit=10_000)
        ]
        for job_id in chosen:
            if not await job_console.retry_job(work, job_id, utc_now()):
                raise _wrong_state(await _require_job(work, job_id), "Only dead jobs can be retried.")
        return len(chosen)

    typer.echo(f"{run_in_transaction(database, retry)} jobs will run again")


@group.command("cancel")
def cancel_job(job_id: JobId, database: Database = None) -> None:
    """Cancel a waiting job. It becomes dead and can be retried."""
    from haulier.kernel.background import job_console
    from haulier.kernel.data.clock import utc_now

    async def cancel(work: "UnitOfWork") -> None:
        if not await job_console.cancel_job(work, job_id, utc_now()):
            raise _wrong_state(await _require_job(work, job_id), "Only waiting jobs can be cancelled.")

    run_in_transaction(database, cancel)
    typer.echo(f"job {job_id} is cancelled")


async def _require_job(work: "UnitOfWork", job_id: int) -> "JobRow":
    from haulier.kernel.background import job_console

    job = await job_console.find_job(work, job_id)
    if job is None:
        raise typer.BadParameter(f"there is no job {job_id}", param_hint="JOB_ID")
    return job


def _wrong_state(job: "JobRow", rule: str) -> typer.BadParameter:
    return typer.BadParameter(f"job {job.id} is {job.state}. {rule}", param_hint="JOB_ID")


def _to_record(row: "JobRow") -> dict[str, Any]:
    return {name: getattr(row, name) for name in MEMBERS}
