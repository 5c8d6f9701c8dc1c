"""Reads of issued documents for other families."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Sequence

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.documents.files.queries import declare_files_of_people, get_file_content, register_file_access
from haulier.contexts.documents.issued import store
from haulier.contexts.documents.issued.rules import (
    DOCUMENT_NOT_MADE,
    DocumentKind,
    DocumentState,
    DocumentSubject,
    Verdict,
    numbers_within,
    verify_digest,
    verify_number,
)
from haulier.contexts.documents.issued.store import DocumentRow
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account, Scope
from haulier.rendering.page import Page
from haulier.rendering.sheets import PaperHead

declare_files_of_people("document", RecordKind.ORDER_CONTACTS, store.personal_documents)


@register_file_access("document", Scope.ORDERS_READ)
async def sees_document(call: Call, document_id: int) -> bool:
    """Return True for the issuer of a document."""
    row = await DocumentRow.get(call.work, document_id)
    return row is not None and row.issued_by is not None and row.issued_by == call.actor


async def get_issued_file(call: Call, document_id: int) -> tuple[str, bytes] | None:
    """Return the number and file of another context's document, or None.

    None until it is issued, and once its file is erased.
    """
    row = await DocumentRow.get(call.work, document_id)
    if row is None or row.state != DocumentState.ISSUED or row.file_id is None:
        return None
    return row.number, await get_file_content(call, row.file_id)


LETTER_CURRENCIES = frozenset(("USD", "CAD", "MXN", "CLP", "COP", "PHP"))
"""Currencies of countries that print on letter paper (CLDR, paper sizes); others print on A4."""


class DocumentPlan(Struct, frozen=True, kw_only=True):
    """Plan of a document: ordered orders or shipments, and the issuer."""

    record_ids: Sequence[int]
    issuer: str


class DocumentDraft(Struct, frozen=True, kw_only=True):
    """A document being drawn: number, address, and orders or shipments.

    `subject_id` is of a document about one route or one carrier's manifest.
    """

    number: str
    verify_url: str
    issuer: str
    record_ids: Sequence[int]
    subject_id: int | None = None


def paper_head(call: Call, draft: DocumentDraft) -> PaperHead:
    """Return the page header of a document being drawn."""
    moment = format_datetime(call.local_time(call.now), "short", locale=call.language.replace("-", "_"))
    return PaperHead(
        issuer=draft.issuer,
        number=draft.number,
        verify_url=draft.verify_url,
        moment=moment,
        language=call.language,
        paper="letter" if call.business.currency in LETTER_CURRENCIES else "a4",
    )


Plan = Callable[[Call, Sequence[int]], Awaitable[DocumentPlan]]
Draw = Callable[[Call, DocumentDraft], Awaitable[list[Page]]]
Done = Callable[[Call, int], Awaitable[None]]


class DocumentMaker(Struct, frozen=True, kw_only=True):
    """Maker of a kind of document about a subject.

    `plan` gets the requested records, runs as the caller, and rejects invisible ones. `draw` runs in a job; if the
    document has a page or more per order or shipment (`each`), it is called in batches. `issued` gets the first record
    of a document in the transaction that stores it.
    """

    plan: Plan
    draw: Draw
    each: bool
    audience: frozenset[Account]
    issued: Done | None = None


_makers: dict[tuple[DocumentKind, DocumentSubject], DocumentMaker] = {}


def register_document_maker(
    kind: DocumentKind,
    subject: DocumentSubject,
    *,
    plan: Plan,
    draw: Draw,
    each: bool,
    audience: Collection[Account],
    issued: Done | None = None,
) -> None:
    """Register the maker of a kind of document. Raises `ValueError` for a second one."""
    if (kind, subject) in _makers:
        raise ValueError(f"{kind} of {subject} is made twice")
    _makers[kind, subject] = DocumentMaker(plan=plan, draw=draw, each=each, audience=frozenset(audience), issued=issued)


def get_document_maker(kind: DocumentKind, subject: DocumentSubject) -> DocumentMaker:
    """Return the maker of a kind of document. Raises `DOCUMENT_NOT_MADE`."""
    maker = _makers.get((kind, subject))
    if maker is None:
        raise DOCUMENT_NOT_MADE(kind=kind)
    return maker


Judgement = tuple[Verdict, DocumentRow | None]


async def check_file(work: UnitOfWork, content: bytes) -> Judgement:
    """Return the verdict on a file with its document.

    The untrusted file is not opened.
    """
    digest = (await asyncio.to_thread(hashlib.sha256, content)).hexdigest()
    verdict, row = await verify_sha256(work, digest)
    if row is not None:
        return verdict, row
    candidates = await asyncio.to_thread(numbers_within, content)
    registered = await store.find_documents_by_number(work, candidates)
    said = next((registered[number] for number in candidates if number in registered), None)
    return (Verdict.ALTERED if said else Verdict.UNKNOWN), said


async def verify_sha256(work: UnitOfWork, digest: str) -> Judgement:
    """Return the verdict on the digest of a file, in lower case."""
    row = await store.find_document_by_digest(work, digest)
    return (verify_digest(revoked=row.revoked_at is not None) if row else Verdict.UNKNOWN), row


async def verify_document_number(work: UnitOfWork, number: str) -> Judgement:
    """Return the verdict on a number alone."""
    row = (await store.find_documents_by_number(work, [number])).get(number)
    return (verify_number(revoked=row.revoked_at is not None) if row else Verdict.UNKNOWN), row
