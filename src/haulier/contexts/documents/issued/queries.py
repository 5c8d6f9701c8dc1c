"""Who makes which kind of document: other contexts say what stands on it."""

from collections.abc import Awaitable, Callable, Collection, Sequence

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.documents.issued.rules import DOCUMENT_NOT_MADE, DocumentKind, DocumentSubject
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.rendering.page import Page
from haulier.rendering.sheets import PaperHead

LETTER_CURRENCIES = frozenset(("USD", "CAD", "MXN", "CLP", "COP", "PHP"))
"""Of the countries that print on letter paper (CLDR, paper sizes); a business elsewhere prints on A4."""


class DocumentPlan(Struct, frozen=True, kw_only=True):
    """What a document will be about: the orders or shipments as they are printed one after the other, and who issues it."""

    record_ids: Sequence[int]
    issuer: str


class DocumentDraft(Struct, frozen=True, kw_only=True):
    """What is drawn now: the document's number and address, and the orders or shipments.

    `subject_id` is of a document about one route or one carrier's manifest.
    """

    number: str
    verify_url: str
    issuer: str
    record_ids: Sequence[int]
    subject_id: int | None = None


def paper_head(call: Call, draft: DocumentDraft) -> PaperHead:
    """What stands on every page of a document that is drawn now."""
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
    """How a kind of document about such a subject is made.

    `plan` gets what the caller names, runs in their name, and refuses what they may not see. `draw` runs in a job; where the
    document is a page or more for each order or shipment (`each`), it is called with some of them at a time.
    `issued` is told the first record of a document in the transaction in which it is kept.
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
    """Say how a kind of document about such a subject is made. Raises `ValueError` when it is said twice."""
    if (kind, subject) in _makers:
        raise ValueError(f"{kind} of {subject} is made twice")
    _makers[kind, subject] = DocumentMaker(plan=plan, draw=draw, each=each, audience=frozenset(audience), issued=issued)


def get_document_maker(kind: DocumentKind, subject: DocumentSubject) -> DocumentMaker:
    """How it is made. Raises `DOCUMENT_NOT_MADE`."""
    maker = _makers.get((kind, subject))
    if maker is None:
        raise DOCUMENT_NOT_MADE(kind=kind)
    return maker
