"""Documents that are issued, and their files."""

import asyncio
from base64 import b64decode
from typing import Any

from tests.support.app import App

from haulier.contexts.documents.ports import DocumentSigner, SignatureCheck


async def make_issued_document(app: App, who: str = "admin", **asked: Any) -> Any:
    """A document, once its job has run."""
    document = (await app.answer(who, "issue_document", asked)).document
    await app.work_off()
    return (await app.answer(who, "get_document", {"document_id": document.id})).document


async def file_of(app: App, document: Any, who: str = "admin") -> bytes:
    """The PDF of a document."""
    return b64decode((await app.answer(who, "get_document_file", {"document_id": document.id})).content)


async def checked(app: App, pdf: bytes, certificates: list[str]) -> SignatureCheck:
    """Return the content of the signature."""
    return await asyncio.to_thread(app.application.adapter(DocumentSigner).check, pdf, certificates)
