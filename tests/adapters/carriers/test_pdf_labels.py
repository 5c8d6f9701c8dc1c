"""Every carrier returns 4 by 6 inch PDF labels with the number as barcode."""

import io
from datetime import UTC, datetime

import msgspec
import pypdfium2
import pytest
import zxingcpp
from PIL import Image
from tests.adapters.carriers.simulated import ACCOUNTS, OTTAWA, TORONTO, Account, Simulator
from tests.support.every_case import for_every

from haulier.adapters.carriers.house import HouseCarrier
from haulier.adapters.carriers.label_pictures import LabelPictures
from haulier.adapters.carriers.remote import remote_carriers
from haulier.contexts.shipping.ports import LabelFormat, OutcomeUnknown, Parcel, Shipment

UPS = ACCOUNTS[0]


def seen_on(pdf: bytes) -> tuple[list[str], tuple[float, float]]:
    """Return the barcodes of the first page, and its size in points."""
    page = pypdfium2.PdfDocument(pdf)[0]
    found = zxingcpp.read_barcodes(page.render(scale=4).to_pil())
    return [each.text for each in found], page.get_size()


@for_every("account", ACCOUNTS)
async def test_a_label_is_a_pdf_with_the_tracking_number(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    (label,) = (await carrier.buy(shipment, rate, LabelFormat.PDF)).parcels
    assert label.label_format is LabelFormat.PDF
    texts, size = seen_on(label.label)
    assert label.tracking_number in texts
    assert [round(side) for side in size] == [288, 432]


@for_every("account", [account for account in ACCOUNTS if account.several])
async def test_several_parcels_have_a_pdf_each(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account, parcels=3)
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    bought = await carrier.buy(shipment, rate, LabelFormat.PDF)
    for label in bought.parcels:
        assert len(pypdfium2.PdfDocument(label.label)) == 1
        assert label.tracking_number in seen_on(label.label)[0]
    assert len({label.tracking_number for label in bought.parcels}) == 3


async def test_a_ups_image_is_rotated_and_trimmed(carriers: Simulator) -> None:
    carrier, shipment = carriers.open(UPS), carriers.shipment(UPS, parcels=2)
    (rate,) = (await carrier.rate(shipment, [UPS.service])).rates
    labels = (await carrier.buy(shipment, rate, LabelFormat.PNG)).parcels
    for label in labels:
        picture = Image.open(io.BytesIO(label.label))
        assert (picture.format, picture.size, label.label_format) == ("PNG", (812, 1218), LabelFormat.PNG)
        assert label.tracking_number in [each.text for each in zxingcpp.read_barcodes(picture)]


@for_every("account", ACCOUNTS[:2])
async def test_without_an_image_reader_labels_that_need_one_are_zpl(carriers: Simulator, account: Account) -> None:
    opened = {kind.code: open_account for kind, open_account in remote_carriers(carriers.address)}
    carrier, shipment = opened[account.code](account.credentials, True), carriers.shipment(account, parcels=2)
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    bought = await carrier.buy(shipment, rate, LabelFormat.PDF)
    assert {label.label_format for label in bought.parcels} == {LabelFormat.ZPL}


async def test_an_unreadable_image_leaves_the_purchase_recoverable(
    carriers: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(self: LabelPictures, content: bytes, form: LabelFormat) -> bytes:
        raise OutcomeUnknown("damaged")

    carrier, shipment = carriers.open(UPS), carriers.shipment(UPS)
    (rate,) = (await carrier.rate(shipment, [UPS.service])).rates
    monkeypatch.setattr(LabelPictures, "draw", refused)
    with pytest.raises(OutcomeUnknown):
        await carrier.buy(shipment, rate, LabelFormat.PDF)
    found = await carrier.find_purchase(shipment)
    assert found
    assert found.parcels[0].label_format is LabelFormat.ZPL
    assert len(carriers.labels(shipment.reference)) == 1


async def test_the_built_in_carrier_prints_every_format() -> None:
    shipment = Shipment("R-1", TORONTO, OTTAWA, (Parcel(900), Parcel(500)), datetime(2026, 6, 10, 14, tzinfo=UTC))
    carrier = HouseCarrier({"currency": "CAD"})
    (rate,) = (await carrier.rate(shipment, ["ground"])).rates
    for form, beginning in {LabelFormat.PDF: b"%PDF-", LabelFormat.PNG: b"\x89PNG", LabelFormat.ZPL: b"^XA"}.items():
        bought = await carrier.buy(msgspec.structs.replace(shipment, signature=True), rate, form)
        assert [each.label_format for each in bought.parcels] == [form] * 2
        assert all(each.label.startswith(beginning) for each in bought.parcels)
        if form is LabelFormat.PDF:
            assert bought.tracking_number in seen_on(bought.parcels[0].label)[0]
