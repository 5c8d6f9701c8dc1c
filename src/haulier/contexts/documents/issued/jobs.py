"""Jobs that draw, sign and store documents, so that no transaction waits."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice

from haulier.contexts.documents.files.actions import save_issued_file
from haulier.contexts.documents.issued import store
from haulier.contexts.documents.issued.actions import ISSUE_JOB, IssueQueuedDocument
from haulier.contexts.documents.issued.queries import DocumentDraft, DocumentMaker, get_document_maker
from haulier.contexts.documents.issued.rules import DocumentKind, DocumentState, DocumentSubject
from haulier.contexts.documents.issued.serializers import verify_url
from haulier.contexts.documents.issued.store import DocumentRow
from haulier.contexts.documents.ports import DocumentSigner
from haulier.contexts.documents.signing.actions import ensure_signing_identity
from haulier.kernel.background.jobs import job
from haulier.kernel.call import call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.errors import OperationError
from haulier.rendering.barcodes import BarcodeFault
from haulier.rendering.page import Page
from haulier.rendering.pdf import render_pdf

RECORDS_AT_ONCE = 50
QUEUE = "batches"


@job(ISSUE_JOB, IssueQueuedDocument, queue=QUEUE)
async def issue_queued_document(run: JobRun, args: IssueQueuedDocument) -> None:
    """Draw, sign and store a document.

    A repeat after a crash starts over; issued documents are unchanged.
    """
    async with run.app.database.read(run.client_id) as work:
        row = await DocumentRow.get(work, args.document_id)
        if row is None or row.state != DocumentState.QUEUED:
            return
        record_ids = await store.list_document_record_ids(work, row)
    try:
        pages = await _render(run, row, record_ids)
    except (OperationError, BarcodeFault) as fault:
        code = fault.error_type.code if isinstance(fault, OperationError) else "barcode_fault"
        async with run.call() as call:
            await store.update_document(call.work, row.id, state=DocumentState.FAILED, failure=code[:60])
        return
    identity = await ensure_signing_identity(run.app)
    signer = run.app.adapter(DocumentSigner)
    pdf = await asyncio.to_thread(render_pdf, pages, title=row.number, language=row.language, number=row.number)
    signed = await asyncio.to_thread(signer.sign, pdf, identity, number=row.number)
    async with run.call() as call:
        again = await DocumentRow.lock(call.work, row.id)
        if again is None or again.state != DocumentState.QUEUED:
            return
        file_id = await save_issued_file(call, content=signed, name=f"{row.number}.pdf", about=f"document:{row.id}")
        await store.update_document(
            call.work,
            row.id,
            state=DocumentState.ISSUED,
            done=row.total,
            pages=len(pages),
            size_bytes=len(signed),
            sha256=hashlib.sha256(signed).hexdigest(),
            certificate=identity.fingerprint,
            file_id=file_id,
            issued_at=call.now,
        )
        maker = get_document_maker(DocumentKind(row.kind), DocumentSubject(row.subject))
        if maker.issued is not None:
            await maker.issued(call, record_ids[0])


async def _render(run: JobRun, row: store.DocumentRow, record_ids: Sequence[int]) -> list[Page]:
    """Return the pages, drawn in batches with progress updates."""
    maker = get_document_maker(DocumentKind(row.kind), DocumentSubject(row.subject))
    pages: list[Page] = []
    done = 0
    for chunk in _chunks(maker, record_ids):
        async with run.app.database.read(run.client_id) as work:
            call = await call_as_system(run.app, run.client_id, work, language=row.language)
            draft = DocumentDraft(
                number=row.number,
                verify_url=verify_url(run.app.base_url, row.number),
                issuer=row.issuer,
                record_ids=chunk,
                subject_id=row.route_id or row.manifest_id or row.invoice_id,
            )
            pages += await maker.draw(call, draft)
        done += len(chunk)
        async with run.app.database.write(run.client_id) as work:
            await store.set_document_progress(work, row.id, done)
    return pages


def _chunks(maker: DocumentMaker, record_ids: Sequence[int]) -> Iterator[list[int]]:
    if not maker.each:
        yield list(record_ids)
        return
    rest = iter(record_ids)
    while chunk := list(islice(rest, RECORDS_AT_ONCE)):
        yield chunk
