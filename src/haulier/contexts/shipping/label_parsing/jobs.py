"""Background parsing of labels, one at a time: each takes seconds of CPU time."""

from typing import Any

import msgspec

from haulier.contexts.documents.public import (
    PictureReader,
    PictureReading,
    PictureUnreadable,
    get_file_content,
)
from haulier.contexts.places.public import get_office_sender
from haulier.contexts.shipping.label_parsing import store
from haulier.contexts.shipping.label_parsing.actions import PARSE_LABEL_JOB, ReadQueuedLabel
from haulier.contexts.shipping.label_parsing.rules.fields import (
    MAX_VALUE,
    LabelEngine,
    LabelParseState,
    lines_of_text,
    parse_label,
)
from haulier.kernel.background.jobs import job
from haulier.kernel.call import call_as_system
from haulier.kernel.job_run import JobRun

QUEUE = "pictures"


@job(PARSE_LABEL_JOB, ReadQueuedLabel, queue=QUEUE)
async def read_queued_label(run: JobRun, args: ReadQueuedLabel) -> None:
    """Parse a label and store the result.

    A repeat after a crash starts over; stored results are unchanged.
    """
    async with run.app.database.read(run.client_id) as work:
        call = await call_as_system(run.app, run.client_id, work)
        row = await store.get_parse_row(work, args.parse_id)
        if row is None or row.state != LabelParseState.QUEUED:
            return
        office = await get_office_sender(work)
        content = await get_file_content(call, row.file_id) if row.file_id else b""
        home_country = (office.country if office else None) or call.business.country
    try:
        reading = await _read(run, row, content)
    except PictureUnreadable:
        await _store_result(run, row.id, {"state": LabelParseState.FAILED.value, "failure": "picture_unreadable"})
        return
    parsed = parse_label(reading, home_country)
    state = LabelParseState.NEEDS_REVIEW if parsed.needs_review else LabelParseState.READ
    told = {
        "state": state.value,
        "engine": _engine(row, reading).value,
        "pages": reading.pages if row.file_id else None,
    }
    fields = [{**msgspec.to_builtins(field), "value": field.value[:MAX_VALUE]} for field in parsed.fields]
    kept: dict[str, Any] = {"fields": fields, "addresses": parsed.addresses, "missing": parsed.missing}
    kept["barcodes"] = reading.barcodes
    await _store_result(run, row.id, {**told, "confidence": parsed.confidence, "reading": msgspec.to_builtins(kept)})


async def _read(run: JobRun, row: store.LabelParseRow, content: bytes) -> PictureReading:
    if row.media_type is None:
        return PictureReading(1, LabelEngine.TEXT.value, lines_of_text(row.text or ""))
    return await run.app.adapter(PictureReader).read(content, row.media_type)


def _engine(row: store.LabelParseRow, reading: PictureReading) -> LabelEngine:
    if row.media_type is None:
        return LabelEngine.TEXT
    return LabelEngine(reading.text_from) if reading.text_from else LabelEngine.BARCODES


async def _store_result(run: JobRun, parse_id: int, values: dict[str, Any]) -> None:
    """Store the result, unless the scan was settled or deleted meanwhile."""
    async with run.call() as call:
        row = await store.get_parse_row(call.work, parse_id, lock=True)
        if row is not None and row.state == LabelParseState.QUEUED:
            await store.update_parse(call.work, parse_id, {**values, "finished_at": call.now})
