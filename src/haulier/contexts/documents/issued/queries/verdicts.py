"""What the register says of a file, for the operation, the page and the command line."""

import asyncio
import hashlib

from haulier.contexts.documents.issued import store
from haulier.contexts.documents.issued.rules import Verdict, judge_digest, judge_number, numbers_within
from haulier.contexts.documents.issued.store import DocumentRow
from haulier.kernel.data.unit_of_work import UnitOfWork

Judgement = tuple[Verdict, DocumentRow | None]


async def judge_file(work: UnitOfWork, content: bytes) -> Judgement:
    """The verdict on a file, and the document that it is or says it is. The file is not opened: it comes from strangers."""
    digest = (await asyncio.to_thread(hashlib.sha256, content)).hexdigest()
    verdict, row = await judge_sha256(work, digest)
    if row is not None:
        return verdict, row
    candidates = await asyncio.to_thread(numbers_within, content)
    registered = await store.find_documents_by_number(work, candidates)
    said = next((registered[number] for number in candidates if number in registered), None)
    return (Verdict.ALTERED if said else Verdict.UNKNOWN), said


async def judge_sha256(work: UnitOfWork, digest: str) -> Judgement:
    """The verdict on the digest of a file, in lower case."""
    row = await store.find_document_by_digest(work, digest)
    return (judge_digest(revoked=row.revoked_at is not None) if row else Verdict.UNKNOWN), row


async def judge_document_number(work: UnitOfWork, number: str) -> Judgement:
    """The verdict on a number alone."""
    row = (await store.find_documents_by_number(work, [number])).get(number)
    return (judge_number(revoked=row.revoked_at is not None) if row else Verdict.UNKNOWN), row
