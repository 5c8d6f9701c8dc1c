"""Labels printed by Haulier are read completely; uncertain fields are reviewed."""

from base64 import b64decode, b64encode
from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.contexts.shipping.examples import ADA, LABEL_TEXT
from tests.support.app import App

from haulier.adapters.picture_reader.reading import read_picture
from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64
from haulier.contexts.documents.ports import PictureReader
from haulier.contexts.documents.public import PictureBox, PictureLine, PictureReading
from haulier.contexts.shipping.label_parsing.rules.fields import REVIEW_BELOW, parse_label
from haulier.kernel.file_reading import ReadingLimits
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.rendering.labels import LabelContent, LabelParty, render_label_pdf

NUMBER = "HL0EAJKC7D24YB5"
HERE = LabelParty(
    name="Ann Lee", company="Shop Inc", address=("1 Front St", "Unit 4"), place="Toronto ON M5J 2X7", country="CA"
)
THERE = LabelParty(
    name="Ana Núñez", address=("12 King St",), place="Ottawa ON K1P 1J1", country="CA", phone="+16135550100"
)
ADDRESSES = {
    "sender.name": "Ann Lee", "sender.company": "Shop Inc", "sender.address": "1 Front St", "sender.unit": "Unit 4",
    "sender.city": "Toronto", "sender.region": "ON", "sender.postal_code": "M5J 2X7", "sender.country": "CA",
    "consignee.name": "Ana Núñez", "consignee.address": "12 King St", "consignee.city": "Ottawa",
    "consignee.region": "ON", "consignee.postal_code": "K1P 1J1", "consignee.country": "CA",
    "consignee.phone": "+16135550100",
}  # fmt: skip


def read_back(label: LabelContent) -> dict[str, str]:
    reading = read_picture(render_label_pdf([label]), "application/pdf", ReadingLimits())
    return {field.name: field.value for field in parse_label(reading, "CA").fields}


def make_label(**words: Any) -> LabelContent:
    stated: dict[str, Any] = {
        "carrier": "Haulier Express", "service": "Two days", "tracking_number": NUMBER, "sender": HERE,
        "recipient": THERE, "weight_g": 12_340, "piece": 2, "pieces": 3, "references": ["A-1001", "Dept 7"],
    }  # fmt: skip
    return LabelContent(**{**stated, **words})


def test_every_label_field_is_read_back_in_every_language() -> None:
    expected = {**ADDRESSES, "tracking_number": NUMBER, "weight_g": "12340", "piece": "2", "pieces": "3"}
    for language in SUPPORTED_LANGUAGES:
        assert read_back(make_label(language=language)) == {**expected, "reference": "A-1001"}, language


def test_text_beside_and_below_the_addresses_is_ignored() -> None:
    busy = make_label(routing="YYZ-3", cod="12.50 CAD", notes="Leave with a neighbour, 9 Front St, Toronto ON M5J 1A1")
    assert read_back(busy).items() >= ADDRESSES.items()


def test_a_sender_without_an_address_has_only_a_name() -> None:
    read = read_back(make_label(sender=LabelParty(name="Demo Couriers")))
    assert {name: value for name, value in read.items() if name.startswith("sender")} == {
        "sender.name": "Demo Couriers"
    }


async def read_of(app: App, media_type: str, content: bytes) -> Any:
    file = {"media_type": media_type, "content": b64encode(content).decode()}
    made = (await app.answer("admin", "parse_label", {"file": file})).label_parse
    await app.work_off()
    return (await app.answer("admin", "get_label_parse", {"parse_id": made.id})).label_parse


async def test_the_label_of_an_order_is_read_back_as_the_same_order(app: App) -> None:
    place = {"region": "ON", "postal_code": "M5H 2N2"}
    asked = {
        "consignee": {**ADDRESS, **place, "unit": "Suite 5"},
        "shipper": {**ADDRESS, **place, "name": "Shop", "address": "1 Front St"},
        "packages": [{"weight_g": 2500}],
        "order_ref": "OCR1",
    }
    order = (await app.answer("admin", "create_order", asked)).order
    headers = {"Accept": "application/pdf"}
    for media_type in ("application/pdf", "image/png"):
        printed = await app.rest(
            "admin", "GET", f"/v1/orders/{order.id}/label", headers={**headers, "Accept": media_type}
        )
        assert printed.headers["content-type"].startswith(media_type)
        read = await read_of(app, media_type, printed.content)
        assert (read.state, read.missing, read.uncertain) == ("read", [], []), read.fields
        accept = {"parse_id": read.id, "order_ref": media_type}
        accepted = (await app.answer("admin", "accept_label_parse", accept)).label_parse
        again = (await app.answer("admin", "get_order_detail", {"order_id": accepted.order_id})).order
        first = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
        assert (again.shipper, again.consignee) == (first.shipper, first.consignee)
        assert [each.weight_g for each in again.packages] == [2500]


class BlurredReader:
    """Reader with some uncertain lines."""

    reads_barcodes = True

    def __init__(self, *uncertain: str) -> None:
        self.uncertain = uncertain

    async def read(self, content: bytes, media_type: str) -> PictureReading:
        lines = [
            PictureLine(
                text, REVIEW_BELOW - 0.1 if text in self.uncertain else 1.0, PictureBox(0, 0, 0, 0), 0.0, 20.0 * at,
                10.0 * len(text), 20.0 * at + 16,
            )
            for at, text in enumerate(LABEL_TEXT.splitlines())
            if text
        ]  # fmt: skip
        return PictureReading(1, "ocr", tuple(lines))


async def test_an_uncertain_field_is_reported_until_it_is_confirmed_or_corrected(app: App) -> None:
    adapters: Any = app.application.adapters
    adapters[PictureReader] = BlurredReader("1 Front St", "Tracking #: 1Z999AA10123456784")
    read = await read_of(app, "image/png", b64decode(EXAMPLE_PNG_BASE64))
    assert (read.state, sorted(read.uncertain)) == ("needs_review", ["sender.address", "tracking_number"])
    accept = {"parse_id": read.id}
    for given, named in (
        ({}, {"sender.address", "tracking_number"}),
        ({"order_ref": "A-1"}, {"sender.address"}),
        ({"sender": {**ADA, "name": "Shop"}}, {"tracking_number"}),
        ({"confirmed": ["sender.address"]}, {"tracking_number"}),
    ):
        refused = await app.call("admin", "accept_label_parse", {**accept, **given})
        assert refused.error
        assert (refused.status, refused.error["code"]) == (409, "LABEL_NEEDS_REVIEW")
        assert {fault["field"] for fault in refused.error["errors"]} == named
    sure = {**accept, "order_ref": "A-1", "confirmed": ["sender.address"]}
    assert (await app.answer("admin", "accept_label_parse", sure)).label_parse.state == "accepted"
