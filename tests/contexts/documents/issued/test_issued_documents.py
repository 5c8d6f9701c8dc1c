"""Documents are issued in the background, signed, numbered and access-controlled."""

import hashlib
from base64 import b64encode
from io import BytesIO

import pypdfium2
import pytest
from PIL import Image
from tests.contexts.documents.issued.document_makers import checked, file_of, make_issued_document
from tests.contexts.recipients.makers import make_delivered_order
from tests.rendering.label_makers import codes_in, pictures_of, text_of
from tests.support.app import App
from tests.support.transport import (
    make_contact,
    make_order,
    make_route,
    make_started_route,
    set_order,
    some_orders,
    status_and_code,
)

from haulier.adapters.document_signer import PdfSigner
from haulier.contexts.documents.issued import store
from haulier.contexts.documents.ports import DocumentSigner
from haulier.contexts.documents.public import ensure_signing_identity, rotate_signing_identity
from haulier.contexts.orders.public import OrderStatus
from haulier.kernel.data.unit_of_work import UnitOfWork

VERIFY = "http://test/verify/"


async def test_labels_of_several_orders_are_one_signed_pdf_in_the_requested_order(app: App) -> None:
    ids = [await make_order(app, packages=[{}, {}]), await make_order(app)]
    queued = (await app.answer("admin", "issue_document", {"kind": "labels", "order_ids": ids[::-1]})).document
    assert (queued.state, queued.done, queued.total, queued.sha256) == ("queued", 0, 2, None)
    early = await app.call("admin", "get_document_file", {"document_id": queued.id})
    assert status_and_code(early) == (409, "DOCUMENT_NOT_READY")
    await app.work_off()
    document = (await app.answer("admin", "get_document", {"document_id": queued.id})).document
    pdf = await file_of(app, document)
    assert (document.state, document.done, document.pages) == ("issued", 2, 3)
    assert document.sha256 == hashlib.sha256(pdf).hexdigest()
    numbers = [
        label.tracking_number
        for id in ids[::-1]
        for label in (await app.answer("admin", "print_local_label", {"order_id": id})).data
    ]
    code = ("QRCode", f"{VERIFY}{document.number}")
    assert [codes_in(page) for page in pictures_of(pdf)] == [{("Code128", number), code} for number in numbers]


async def test_documents_are_signed_with_the_installations_certificate(app: App) -> None:
    document = await make_issued_document(app, kind="labels", order_ids=[await make_order(app)])
    pdf = await file_of(app, document)
    (shown,) = (await app.answer(None, "list_signing_certificates")).certificates
    signer = app.application.adapter(DocumentSigner)
    identity = await ensure_signing_identity(app.application)
    assert (shown.certificate, shown.retired_at) == (identity.certificate, None)
    said = await checked(app, pdf, [shown.certificate])
    assert (said.ours, said.intact) == (True, True)
    stranger = signer.make_identity("Somebody else", app.clock())
    assert not (await checked(app, pdf, [stranger.certificate])).ours


async def test_after_a_rotation_new_signatures_use_the_new_certificate_and_old_ones_stay_valid(app: App) -> None:
    order = await make_order(app)
    before = await make_issued_document(app, kind="labels", order_ids=[order])
    old = await ensure_signing_identity(app.application)
    new = await rotate_signing_identity(app.application)
    after = await make_issued_document(app, kind="labels", order_ids=[order])
    assert (await checked(app, await file_of(app, after), [new.certificate])).ours
    assert (await checked(app, await file_of(app, before), [old.certificate, new.certificate])).intact
    shown = (await app.answer(None, "list_signing_certificates")).certificates
    assert [one.retired_at is None for one in shown] == [True, False]
    verdict = await app.answer(None, "verify_document", {"sha256": before.sha256})
    assert verdict.status == "genuine"


async def test_an_expiring_certificate_is_renewed_automatically(app: App) -> None:
    first = await ensure_signing_identity(app.application)
    assert (await ensure_signing_identity(app.application)).fingerprint == first.fingerprint
    app.clock.forward(days=4.6 * 365)
    assert (await ensure_signing_identity(app.application)).fingerprint != first.fingerprint


async def test_a_packing_slip_lists_packages_without_prices(app: App) -> None:
    pieces = [{"description": "Shoes", "weight_g": 700, "length_mm": 300, "width_mm": 200, "height_mm": 100}, {}]
    order = await make_order(app, packages=pieces, order_ref="A-7", consignee=make_contact(name="王小明"))
    document = await make_issued_document(app, kind="packing_slip", order_ids=[order])
    (text,) = text_of(await file_of(app, document))
    for words in ("Packing slip", "Shoes", "0.70 kg", "30 × 20 × 10 cm", "王小明", "A-7", document.number):
        assert words in text
    assert "CAD" not in text


async def test_route_documents_follow_the_stop_order(app: App) -> None:
    ids = [await make_order(app, order_ref=f"R-{number}") for number in range(3)]
    route = await make_route(app, order_ids=[ids[2], ids[0], ids[1]])
    manifest = await make_issued_document(app, kind="manifest", route_id=route)
    (text,) = text_of(await file_of(app, manifest))
    assert [text.index(ref) for ref in ("R-2", "R-0", "R-1")] == sorted(
        text.index(ref) for ref in ("R-0", "R-1", "R-2")
    )
    labels = await make_issued_document(app, kind="labels", route_id=route)
    pages = text_of(await file_of(app, labels))
    assert ["R-2" in pages[0], "R-0" in pages[1], "R-1" in pages[2]] == [True, True, True]
    listed = (await app.answer("admin", "list_documents", {"order_id": ids[1]})).documents
    assert [one.kind for one in listed] == ["labels", "manifest"]


async def test_a_proof_of_delivery_names_the_recipient_and_includes_the_photo(app: App) -> None:
    order, _ = await make_delivered_order(app)
    document = await make_issued_document(app, "customer", kind="proof_of_delivery", order_ids=[order.id])
    text = "\n".join(text_of(await file_of(app, document, "customer")))
    assert {"Proof of delivery", "B. Roy", "Photo 1"} <= set(text.splitlines())
    assert "SHA-256" in text


def make_picture(colour: str, form: str, mode: str = "RGB") -> dict[str, str]:
    """A picture of one colour, as an upload carries it."""
    file = BytesIO()
    Image.new(mode, (400, 300), colour).save(file, form)
    return {"content": b64encode(file.getvalue()).decode(), "media_type": f"image/{form.lower()}"}


def colours_of(page: Image.Image) -> set[str]:
    """Return the colours of given pictures that appear on a page as areas."""
    counted = page.convert("RGB").getcolors(page.width * page.height) or []
    near = {"red": (254, 0, 0), "green": (0, 128, 1), "blue": (0, 0, 255)}
    return {
        name
        for name, wanted in near.items()
        if sum(count for count, colour in counted if max(abs(a - b) for a, b in zip(colour, wanted, strict=True)) < 4)
        > 5000
    }


async def test_photos_and_signature_are_printed_on_the_proof_of_delivery(app: App) -> None:
    order_id = await make_order(app)
    route = await make_started_route(app, [order_id])
    uploads = {
        "photo-0001": make_picture("red", "JPEG"),
        "photo-0002": make_picture("green", "PNG"),
        "signed-0001": make_picture("blue", "PNG", "RGBA"),
    }
    for upload_id, picture in uploads.items():
        body = {"stop_id": route.stops[0].id, "upload_id": upload_id, **picture}
        await app.answer("driver", "upload_proof", body)
    done = {"route_id": route.id, "stop_id": route.stops[0].id, "recipient": "B. Roy"}
    photos, signature = list(uploads)[:2], list(uploads)[2]
    await app.answer("driver", "rider_deliver", {**done, "photos": photos, "signature": signature})
    document = await make_issued_document(app, kind="proof_of_delivery", order_ids=[order_id])
    pages = pypdfium2.PdfDocument(await file_of(app, document))
    assert set().union(*(colours_of(page.render().to_pil()) for page in pages)) == {"red", "green", "blue"}


async def test_an_undelivered_order_has_no_proof_of_delivery(app: App) -> None:
    asked = {"kind": "proof_of_delivery", "order_ids": [await make_order(app)]}
    assert status_and_code(await app.call("admin", "issue_document", asked)) == (409, "DOCUMENT_NOT_YET")


async def test_documents_require_access_to_their_records(app: App) -> None:
    order = await make_order(app)
    asked = {"kind": "packing_slip", "order_ids": [order]}
    for who in ("rival", "customer"):
        assert status_and_code(await app.call(who, "issue_document", asked)) == (404, "NOT_FOUND"), who
    manifest = {"kind": "manifest", "order_ids": [order]}
    assert status_and_code(await app.call("admin", "issue_document", manifest)) == (422, "DOCUMENT_NOT_MADE")
    for wrong in ({"kind": "labels"}, {"kind": "labels", "order_ids": [order], "route_id": 1}):
        assert (await app.call("admin", "issue_document", wrong)).status == 422


async def test_only_the_office_sees_documents_issued_by_others(app: App) -> None:
    document = await make_issued_document(app, kind="labels", order_ids=[await make_order(app)])
    for who in ("customer", "contractor", "rival"):
        for operation in ("get_document", "get_document_file"):
            refused = await app.call(who, operation, {"document_id": document.id})
            assert status_and_code(refused) == (404, "NOT_FOUND"), (who, operation)
        assert (await app.answer(who, "list_documents")).documents == []
    assert [one.id for one in (await app.answer("employee", "list_documents")).documents] == [document.id]


async def test_a_pdf_download_returns_the_file(app: App) -> None:
    document = await make_issued_document(app, kind="labels", order_ids=[await make_order(app)])
    answer = await app.rest("admin", "GET", f"/v1/documents/{document.id}/file", headers={"Accept": "application/pdf"})
    assert answer.headers["content-type"] == "application/pdf"
    assert hashlib.sha256(answer.content).hexdigest() == document.sha256


async def test_an_unprintable_document_fails_with_a_reason_after_limited_retries(app: App) -> None:
    order = await make_order(app)
    await set_order(app, order, status=OrderStatus.DELIVERED.value)
    delivered_by_office = {"kind": "proof_of_delivery", "order_ids": [order]}
    document = (await app.answer("admin", "issue_document", delivered_by_office)).document
    await app.work_off()
    document = (await app.answer("admin", "get_document", {"document_id": document.id})).document
    assert (document.state, document.failure) == ("failed", "DOCUMENT_NOT_YET")


async def test_a_missing_extra_is_reported(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PdfSigner, "available", False)
    asked = {"kind": "labels", "order_ids": [await make_order(app)]}
    refused = await app.call("admin", "issue_document", asked)
    assert status_and_code(refused) == (503, "DOCUMENTS_CANNOT_SIGN")
    assert "signing" in refused.error["message"]


async def test_a_large_batch_reports_progress(app: App) -> None:
    seen: list[int] = []
    original = store.set_document_progress

    async def watched(work: UnitOfWork, document_id: int, done: int) -> None:
        seen.append(done)
        await original(work, document_id, done)

    ids = await some_orders(app, 120)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "set_document_progress", watched)
        document = await make_issued_document(app, kind="packing_slip", order_ids=ids)
    assert (document.state, document.total, document.pages) == ("issued", 120, 120)
    assert seen == [50, 100, 120]
