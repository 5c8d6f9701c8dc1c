"""Files of contacts are worked off."""

from haulier.contexts.messaging.campaigns.actions.imports import (
    IMPORT_JOB,
    RunSmsImport,
    find_contact_row_keys,
    write_contact_rows,
)
from haulier.contexts.messaging.campaigns.store.imports import contact_imports
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun
from haulier.kernel.row_imports import work_off


@job(IMPORT_JOB, RunSmsImport, lane="batches")
async def run_sms_import(run: JobRun, args: RunSmsImport) -> None:
    """Write the rows of a file. Running it again goes on where it was, and writes no consent twice."""
    await work_off(run, contact_imports, args.import_id, write_contact_rows, find_keys=find_contact_row_keys)
