"""Public verification of documents reveals no personal data."""

from base64 import b64encode
from typing import Any

import pytest
from tests.contexts.documents.issued.document_makers import checked, file_of, make_issued_document
from tests.support.app import App
from tests.support.transport import make_contact, make_order

from haulier.contexts.documents.issued.rules import make_document_number, numbers_within, read_document_number
from haulier.contexts.documents.public import ensure_signing_identity

NAME = "Wilhelmina Prune"


@pytest.fixture
async def issued(app: App) -> tuple[Any, bytes]:
    order = await make_order(app, consignee=make_contact(name=NAME))
    document = await make_issued_document(app, kind="packing_slip", order_ids=[order])
    return document, await file_of(app, document)


async def asked(app: App, **what: Any) -> tuple[str, bool | None]:
    answer = await app.answer(None, "verify_document", what)
    return answer.status, answer.intact


def sent(pdf: bytes) -> dict[str, str]:
    return {"content": b64encode(pdf).decode()}


async def test_a_document_is_recognized_by_file_digest_and_code(app: App, issued: tuple[Any, bytes]) -> None:
    document, pdf = issued
    assert await asked(app, **sent(pdf)) == ("genuine", True)
    assert await asked(app, sha256=document.sha256.upper()) == ("genuine", True)
    for number in (
        document.number,
        document.verify_url,
        document.number.lower(),
        f" {document.number[:6]} {document.number[6:]}",
    ):
        assert await asked(app, number=number) == ("issued", None), number


async def test_a_document_not_issued_here_is_unknown(app: App, issued: tuple[Any, bytes]) -> None:
    assert await asked(app, **sent(b"%PDF-1.7 something else")) == ("unknown", None)
    assert await asked(app, sha256="0" * 64) == ("unknown", None)
    for number in (make_document_number(), "nothing", "HD"):
        assert await asked(app, number=number) == ("unknown", None)


async def test_any_flipped_byte_is_detected(app: App, issued: tuple[Any, bytes]) -> None:
    document, pdf = issued
    number = pdf.index(document.number.encode())
    for at in (
        0,
        9,
        number,
        number + 5,
        pdf.index(b"/ByteRange"),
        pdf.index(b"/Contents") + 900,
        len(pdf) // 2,
        len(pdf) - 1,
    ):
        for bit in (1, 0x20, 0x80):
            changed = bytearray(pdf)
            changed[at] ^= bit
            assert await asked(app, **sent(bytes(changed))) == ("altered", False), (at, bit)


async def test_the_signature_detects_flipped_bytes_without_the_register(app: App, issued: tuple[Any, bytes]) -> None:
    _, pdf = issued
    identity = await ensure_signing_identity(app.application)
    hole = pdf.index(b"/Contents")
    for at in (*range(0, hole, hole // 12), len(pdf) - 3):
        changed = bytearray(pdf)
        changed[at] ^= 1
        assert not (await checked(app, bytes(changed), [identity.certificate])).intact, at
    assert not (await checked(app, pdf + b"\n% more", [identity.certificate])).intact


async def test_lengthened_and_truncated_files_are_altered(app: App, issued: tuple[Any, bytes]) -> None:
    _, pdf = issued
    for changed in (pdf + b"\n", pdf[:-1], b" " + pdf):
        assert await asked(app, **sent(changed)) == ("altered", False)


async def test_a_revoked_document_is_reported_as_revoked(app: App, issued: tuple[Any, bytes]) -> None:
    document, pdf = issued
    withdrawn = {"document_id": document.id, "reason": "mistake"}
    await app.answer("admin", "revoke_document", withdrawn, dry_run=True)
    assert await asked(app, **sent(pdf)) == ("genuine", True)
    revoked = await app.answer("admin", "revoke_document", withdrawn)
    again = await app.answer("admin", "revoke_document", {"document_id": document.id, "reason": "other"})
    assert again.document.revoke_reason == revoked.document.revoke_reason == "mistake"
    assert await asked(app, **sent(pdf)) == ("revoked", True)
    assert await asked(app, number=document.number) == ("revoked", None)
    assert (await app.call("rival", "revoke_document", {"document_id": document.id, "reason": "other"})).status == 404


async def test_anonymous_callers_see_no_names_or_reasons(app: App, issued: tuple[Any, bytes]) -> None:
    document, pdf = issued
    await app.answer("admin", "revoke_document", {"document_id": document.id, "reason": "lost"})
    for what in (sent(pdf), {"number": document.number}, {"sha256": document.sha256}):
        answer = await app.rest(None, "POST", "/v1/documents/verify", what)
        assert answer.status_code == 200
        assert NAME not in answer.text
        assert "lost" not in answer.text
        assert set(answer.json()) == {
            "result", "status", "intact", "number", "kind", "issuer", "issued_at", "revoked_at", "sha256",
        }  # fmt: skip


async def test_a_verification_takes_exactly_one_input(app: App) -> None:
    for what in ({}, {"sha256": "0" * 64, "number": "A"}, {"content": "?!?!"}, {"sha256": "xyz"}):
        assert (await app.call(None, "verify_document", what)).status == 422


def test_document_numbers_are_found_in_files_and_typed_text() -> None:
    number = make_document_number()
    assert numbers_within(b"\xff" + number.encode() + b"\x00" + number.encode()) == [number]
    assert read_document_number(f"https://x.example/verify/{number}?lang=de") == number
    assert len({make_document_number() for _ in range(1000)}) == 1000
