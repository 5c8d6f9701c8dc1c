"""Labels of several carriers are printed as one PDF."""

from typing import Any

import pypdfium2
import zxingcpp
from tests.contexts.documents.issued.document_makers import file_of, make_issued_document
from tests.contexts.shipping.makers import SHIPMENT, make_parcelo_account, make_platform_account
from tests.support.app import App

from haulier.adapters.carriers.house_label import render_house_label
from haulier.contexts.shipping.ports import BoughtParcel, LabelFormat, Purchase, Rate, Shipment


async def bought(app: App, account_id: int, service: str, **words: Any) -> Any:
    """A label of an account."""
    asked = {"shipment": SHIPMENT, "account_id": account_id, "service": service, **words}
    return (await app.answer("admin", "create_shipping_label", asked)).shipment


async def both_accounts(app: App) -> tuple[int, int]:
    """Return an account of the own fleet, and one with the requested label format."""
    carrier = await make_parcelo_account(app)
    sell = carrier.buy

    async def buy(shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        sold = await sell(shipment, rate, label_format)
        number = sold.tracking_number
        label = BoughtParcel(number, render_house_label(shipment, rate, number, 0, label_format), label_format)
        return Purchase(sold.carrier_reference, rate.service, number, (label,), price=sold.price)

    carrier.buy = buy
    house = await make_platform_account(app)
    accounts = (await app.answer("admin", "list_carrier_accounts")).accounts
    return house, next(each.id for each in accounts if each.carrier == "PARCELO")


async def test_labels_of_several_carriers_are_one_pdf_in_the_requested_order(app: App) -> None:
    house, parcelo = await both_accounts(app)
    labels = [
        await bought(app, parcelo, "next_day", order_ref="P-1"),
        await bought(app, house, "ground", order_ref="H-1", label_format="png"),
        await bought(app, house, "express", order_ref="H-2"),
    ]
    document = await make_issued_document(app, kind="labels", shipment_ids=[label.id for label in labels[::-1]])
    assert (document.state, document.pages, document.failure) == ("issued", 3, None)
    pages = pypdfium2.PdfDocument(await file_of(app, document))
    read = [zxingcpp.read_barcode(page.render(scale=4).to_pil()) for page in pages]
    assert [found and found.text for found in read] == [label.tracking_number for label in labels[::-1]]
    assert {tuple(round(side) for side in page.get_size()) for page in pages} == {(288, 432)}


async def test_unprintable_labels_are_reported(app: App) -> None:
    house, parcelo = await both_accounts(app)
    zpl = await bought(app, parcelo, "next_day", order_ref="P-1", label_format="zpl")
    draft = await bought(app, house, "ground", draft=True)
    fine = await bought(app, house, "ground", order_ref="H-1")
    asked = {"kind": "labels", "shipment_ids": [fine.id, zpl.id, draft.id]}
    refused = await app.call("admin", "issue_document", asked)
    assert refused.error
    (fault,) = refused.error["errors"]
    assert (refused.status, fault["field"], fault["code"]) == (422, "shipment_ids", "LABELS_NOT_PRINTABLE")
    assert fault["message"].startswith(f"Shipments {zpl.id}, {draft.id} have no label")
    foreign = await app.call("customer", "issue_document", {"kind": "labels", "shipment_ids": [fine.id]})
    assert foreign.status == 404
