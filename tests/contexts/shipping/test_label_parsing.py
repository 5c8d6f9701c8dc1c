"""Labels are read from pictures, PDFs and texts, reviewed, and become orders."""

import asyncio
from base64 import b64encode
from io import BytesIO
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image
from tests.contexts.shipping.examples import ADA, LABEL_TEXT
from tests.support.app import App

from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64
from haulier.contexts.documents.ports import PictureReader
from haulier.contexts.documents.public import PictureBarcode, PictureBox, PictureLine, PictureReading
from haulier.contexts.shipping.label_parsing.rules.fields import REVIEW_BELOW, lines_of_text, parse_label
from haulier.contexts.shipping.label_parsing.rules.tracking_numbers import known_number, repair_number
from haulier.rendering.labels import LabelContent, LabelParty, render_label_pdf, render_label_png

PNG = {"media_type": "image/png", "content": EXAMPLE_PNG_BASE64}
LABEL = LabelContent(
    carrier="Haulier Express",
    service="Two days",
    tracking_number="HL0EAJKC7D24YB5",
    sender=LabelParty(name="Jürgen Schäfer", address=("Am Hafen 3",), place="20457 Hamburg", country="DE"),
    recipient=LabelParty(name="Ana Núñez", address=("1 Front St",), place="Toronto ON M5J 2X7", country="CA"),
)
NUMBER = PictureBarcode("Code128", "1Z999AA10123456784", PictureBox(0.1, 0.7, 0.8, 0.1))


class SomeReader:
    """Reads what a test says."""

    reads_barcodes = True

    def __init__(self, *answers: PictureReading | Exception) -> None:
        self.answers = list(answers)

    async def read(self, content: bytes, media_type: str) -> PictureReading:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def use_reader(app: App, reader: PictureReader) -> None:
    adapters: Any = app.application.adapters
    adapters[PictureReader] = reader


async def parsed(app: App, **asked: Any) -> Any:
    made = (await app.answer("admin", "parse_label", asked)).label_parse
    assert made.state == "queued"
    await app.work_off()
    return (await app.answer("admin", "get_label_parse", {"parse_id": made.id})).label_parse


def values(read: Any) -> dict[str, str]:
    return {field.name: field.value for field in read.fields}


def test_tracking_numbers_are_recognized_by_format_and_check_digit() -> None:
    told = {
        "1Z 999 AA1 01 2345 6784": "UPS", "4209021094 00 1118 9922 3197 4284 97": "USPS", "9400111899223197428497": "USPS",
        "7010 1234 5678 9012": None, "RR123456785CA": "CANADA_POST", "1Z999AA10123456785": None,
    }  # fmt: skip
    assert {text: found.carrier if (found := known_number(text)) else None for text in told} == told
    mended = repair_number("IZ999AA1O123456784")
    assert mended
    assert mended.number == "1Z999AA10123456784"
    assert repair_number("1Z999AA1O123456785") is None


def test_misread_or_missing_values_are_never_reported_as_certain() -> None:
    whole = parse_label(PictureReading(1, "ocr", lines_of_text(LABEL_TEXT)), None)
    assert not whole.needs_review
    lines = lines_of_text(LABEL_TEXT)
    for at, line in enumerate(lines):
        blurred = [replace(each, confidence=REVIEW_BELOW - 0.1) if each is line else each for each in lines]
        unclear = parse_label(PictureReading(1, "ocr", tuple(blurred)), None)
        if at > 6 or "Tracking" in line.text:
            assert unclear.needs_review, line.text
        assert {field.value for field in unclear.fields} == {field.value for field in whole.fields}
    odd = parse_label(PictureReading(1, "ocr", lines_of_text(LABEL_TEXT.replace("Ada L", "Ada 0"))), None)
    bare = parse_label(PictureReading(1, "ocr", lines_of_text(LABEL_TEXT.replace("M5H 2N2", ""))), None)
    assert odd.needs_review
    assert bare.needs_review


def make_label_of(
    *places: tuple[str, float, float], barcodes: tuple[str, ...] = (), home: str = "US"
) -> dict[str, str]:
    """Return the fields found in lines of height 30 at these positions."""
    lines = tuple(
        PictureLine(text, 0.99, PictureBox(0, 0, 0, 0), left, top, left + 16 * len(text), top + 30)
        for text, left, top in places
    )
    bars = tuple(PictureBarcode("Code128", text, PictureBox(0.1, 0.7, 0.8, 0.1)) for text in barcodes)
    return values(parse_label(PictureReading(1, "ocr", lines, bars), home))


def test_a_destination_is_never_taken_for_the_tracking_number() -> None:
    to = (("TO:", 20, 20), ("Grace Hopper", 120, 20), ("1600 Harbor Dr", 120, 55), ("San Diego CA 92101", 120, 90))
    routed = make_label_of(*to, ("CA 859 2-37", 120, 300), barcodes=("CA 859 2-37", "1Z88899K2324252627"))
    assert routed["tracking_number"] == "1Z88899K2324252627"
    assert "tracking_number" not in make_label_of(*to, ("420 92101", 120, 300), barcodes=("42092101",))
    told = make_label_of(*to, barcodes=("420921011234", "00006141411234567890", "42092101"))
    assert told["tracking_number"] == "00006141411234567890"


def test_a_number_in_a_longer_barcode_is_confirmed_by_its_printed_text() -> None:
    printed = (("TRK# 2710 5382 0000", 20, 300), ("9632 0804 0 (000 000 0000) 0 00 2710 5382 0000", 20, 500))
    told = make_label_of(*printed, barcodes=("9632080400200044387500271053820000",))
    assert told["tracking_number"] == "271053820000"


def test_a_town_and_region_read_as_one_word_need_review() -> None:
    for town, needs in (("VANCOUVERBC V6C 1T2", True), ("VANCOUVER BC V6C 1T2", False)):
        lines = lines_of_text(
            f"SHIP TO:\nPriya Raman\n8 Granville Street\n{town}\nCANADA\n\nTracking: 1Z999AA10123456784"
        )
        assert parse_label(PictureReading(1, "ocr", lines), None).needs_review is needs, town


def test_a_to_prefix_read_into_the_name_marks_the_recipient() -> None:
    sender = (
        ("FROM:", 20, 20),
        ("Becker Tools", 20, 55),
        ("455 Larkspur Ln", 20, 90),
        ("Austin TX78704", 20, 125),
        ("US", 20, 160),
    )
    told = make_label_of(
        *sender, ("TO Maria Lopez", 20, 195), ("2210 W Division St", 20, 230), ("Chicago IL60622", 20, 265)
    )
    assert (told["consignee.name"], told["consignee.city"], told["consignee.postal_code"]) == (
        "Maria Lopez",
        "Chicago",
        "60622",
    )
    assert (told["sender.name"], told["sender.city"], told["sender.postal_code"]) == ("Becker Tools", "Austin", "78704")
    named = make_label_of(
        ("SHIP TO:", 20, 20), ("To Anh Nguyen", 20, 55), ("8 Main St", 20, 90), ("Austin TX 78704", 20, 125)
    )
    assert named["consignee.name"] == "To Anh Nguyen"


async def test_a_label_creates_one_order(app: App) -> None:
    read = await parsed(app, text=LABEL_TEXT)
    assert (read.state, read.engine, read.missing) == ("read", "text", [])
    assert values(read) == {
        "tracking_number": "1Z999AA10123456784", "carrier": "UPS", "service": "UPS GROUND",
        "sender.name": "Shop Inc", "sender.address": "1 Front St", "sender.city": "Toronto", "sender.region": "ON",
        "sender.postal_code": "M5J 2X7", "sender.country": "CA",
        "consignee.name": "Ada Lovelace", "consignee.address": "100 Queen St W", "consignee.city": "Toronto",
        "consignee.region": "ON", "consignee.postal_code": "M5H 2N2", "consignee.country": "CA",
    }  # fmt: skip
    accept = {"parse_id": read.id, "sender": {**ADA, "name": "Shop Ltd"}}
    answers = await asyncio.gather(*(app.answer("admin", "accept_label_parse", accept) for _ in range(3)))
    (order_id,) = {answer.label_parse.order_id for answer in answers}
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (order.consignee.name, order.shipper.name, order.order_ref) == ("Ada Lovelace", "Shop Ltd", NUMBER.text)
    assert answers[0].label_parse.corrected == ["sender"]
    listed = await app.answer("admin", "list_label_parses", {"state": "accepted"})
    assert [each.id for each in listed.label_parses] == [read.id]


async def test_a_business_without_an_address_reads_labels_of_its_own_country(app: App) -> None:
    text = "Tracking #: 1Z999AA10123456784\n\nSHIP TO:\nAino Virtanen\nMannerheimintie 1\n00100 Helsinki\n"
    await app.answer("admin", "update_client", {"country": "FI"})
    assert values(await parsed(app, text=text))["consignee.country"] == "FI"


async def test_without_an_ocr_engine_only_barcodes_are_read_and_this_is_reported(app: App) -> None:
    use_reader(app, SomeReader(PictureReading(1, None, (), (NUMBER,))))
    read = await parsed(app, file=PNG)
    assert (read.state, read.engine, read.confidence) == ("needs_review", "barcodes", 0)
    assert values(read) == {"tracking_number": NUMBER.text, "carrier": "UPS"}
    assert "consignee.city" in read.missing
    french = await app.rest("admin", "GET", f"/v1/ocr/labels/{read.id}", headers={"Accept-Language": "fr"})
    assert "codes-barres" in french.json()["label_parse"]["notice"]
    refused = await app.call("admin", "accept_label_parse", {"parse_id": read.id})
    assert refused.error
    assert refused.error["code"] == "LABEL_NEEDS_REVIEW"
    refused = await app.call("admin", "accept_label_parse", {"parse_id": read.id, "reviewed": True})
    assert refused.error
    assert {fault["field"] for fault in refused.error["errors"]} == {
        f"consignee.{part}" for part in ("name", "address", "city", "country")
    }
    corrected = {"parse_id": read.id, "reviewed": True, "consignee": ADA}
    accepted = (await app.answer("admin", "accept_label_parse", corrected)).label_parse
    assert (accepted.state, accepted.corrected) == ("accepted", ["consignee"])
    await app.answer("admin", "delete_label_parse", {"parse_id": read.id})
    assert (await app.call("admin", "get_file", {"file_id": read.file_id})).status == 404


async def test_an_interrupted_job_is_repeated_and_a_finished_one_changes_nothing(app: App) -> None:
    whole = PictureReading(1, "ocr", lines_of_text(LABEL_TEXT), (NUMBER,))
    use_reader(app, reader := SomeReader(OSError("the worker was stopped"), whole))
    made = (await app.answer("admin", "parse_label", {"file": PNG})).label_parse
    await app.work_off()
    assert (await app.answer("admin", "get_label_parse", {"parse_id": made.id})).label_parse.state == "queued"
    app.clock.forward(hours=1)
    await app.work_off()
    read = (await app.answer("admin", "get_label_parse", {"parse_id": made.id})).label_parse
    assert (read.state, reader.answers) == ("read", [])
    assert next(field for field in read.fields if field.name == "tracking_number").source == "both"


async def test_without_an_image_library_pictures_are_refused_and_text_is_read(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = "haulier.adapters.picture_reader.pooled_reader.find_spec"
    monkeypatch.setattr(where, lambda name: None)
    refused = await app.call("admin", "parse_label", {"file": PNG})
    assert refused.error
    assert (refused.status, refused.error["code"]) == (503, "LABEL_READER_MISSING")
    assert (await parsed(app, text=LABEL_TEXT)).state == "read"


async def test_pictures_are_read_in_any_orientation(app: App) -> None:
    picture = Image.open(BytesIO(render_label_png(LABEL))).convert("L")
    on_its_side = picture.rotate(90, expand=True)
    expected = {
        "tracking_number": "HL0EAJKC7D24YB5", "consignee.name": "Ana Núñez", "consignee.address": "1 Front St",
        "consignee.postal_code": "M5J 2X7", "consignee.country": "CA", "sender.name": "Jürgen Schäfer",
        "sender.postal_code": "20457", "sender.country": "DE",
    }  # fmt: skip
    for form, content in (("png", as_png(on_its_side)), ("pdf", render_label_pdf([LABEL]))):
        media_type = {"png": "image/png", "pdf": "application/pdf"}[form]
        file = {"media_type": media_type, "content": b64encode(content).decode()}
        read = await parsed(app, file=file)
        assert values(read).items() >= expected.items(), values(read)
        assert read.engine == {"png": "ocr", "pdf": "pdf"}[form]
        assert all(0 <= edge <= 1 for field in read.fields if field.box for edge in (field.box.x, field.box.y))
    broken = {"media_type": "application/pdf", "content": b64encode(b"%PDF-1.7 and no more").decode()}
    read = await parsed(app, file=broken)
    assert (read.state, read.failure) == ("failed", "picture_unreadable")


def as_png(picture: Image.Image) -> bytes:
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
