"""The public page for verifying documents."""

from tests.contexts.documents.issued.document_makers import file_of, make_issued_document
from tests.support.app import App
from tests.support.transport import make_contact, make_order
from tests.web.page_client import get_page, page_text

NAME = "Wilhelmina Prune"


async def test_scanning_the_code_opens_the_register_entry(app: App) -> None:
    order = await make_order(app, consignee=make_contact(name=NAME))
    document = await make_issued_document(app, kind="packing_slip", order_ids=[order])
    page = await get_page(app, document.verify_url.removeprefix("http://test"))
    text = page_text(page)
    assert "A document with this number was issued here." in text
    assert document.sha256 in text
    assert NAME not in page.text
    assert "Genuine" in page_text(await get_page(app, f"/verify?number={document.sha256}"))


async def test_a_file_can_be_verified_and_a_modified_one_is_detected(app: App) -> None:
    document = await make_issued_document(app, kind="labels", order_ids=[await make_order(app)])
    pdf = await file_of(app, document)
    for content, words in ((pdf, "Genuine"), (pdf + b" ", "Altered"), (b"%PDF-1.7 other", "Unknown")):
        page = await app.http.post("/verify?lang=en", files={"file": ("a.pdf", content, "application/pdf")})
        assert page.status_code == 200
        assert words in page_text(page)
    await app.answer("admin", "revoke_document", {"document_id": document.id, "reason": "mistake"})
    page = await app.http.post("/verify", files={"file": ("a.pdf", pdf, "application/pdf")})
    assert "Revoked" in page_text(page)


async def test_empty_and_oversized_submissions_are_explained(app: App) -> None:
    assert (await app.http.post("/verify", data={"a": "b"})).status_code == 303
    answer = await app.http.post("/verify", content=b"", headers={"Content-Length": str(10**9)})
    assert answer.status_code == 413
    assert (await get_page(app, "/verify/nothing")).status_code == 200
