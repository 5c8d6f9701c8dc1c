"""Reasons for export in the codes of each carrier."""

from datetime import UTC, datetime
from typing import Any

from haulier.adapters.carriers.canada_post import requests as canada_post
from haulier.adapters.carriers.easypost import requests as easypost
from haulier.adapters.carriers.shipengine import requests as shipengine
from haulier.adapters.carriers.ups import requests as ups
from haulier.contexts.shipping.ports import CustomsItem, CustomsReason, LabelFormat, Parcel, Party, Rate, Shipment
from haulier.kernel.values.money import Money


def make_shipment(reason: CustomsReason) -> Shipment:
    """One that crosses a border."""
    here = Party("Shop", "1 Front St", "Toronto", "CA", "M5J2X2", "ON", phone="4165550101", email="shop@example.com")
    there = Party("Ada", "1 State St", "Albany", "US", "12207", "NY", phone="5185550101", email="ada@example.com")
    goods = CustomsItem("Shoes", 1, Money(1000, "CAD"), 400, "PT")
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return Shipment("R-1", here, there, (Parcel(900),), at, customs=(goods,), customs_reason=reason)


def said_by(reason: CustomsReason) -> list[Any]:
    """Return the value sent to UPS, EasyPost, ShipEngine and Canada Post."""
    shipment, rate = make_shipment(reason), Rate("se-1:priority", "Priority", Money(1000, "CAD"))
    sent = ups.ship_request(shipment, "A1B2C3", "11", LabelFormat.PDF)
    form = sent["ShipmentRequest"]["Shipment"]["ShipmentServiceOptions"]["InternationalForms"]
    info = easypost.shipment_request(shipment)["shipment"]["customs_info"]
    customs = shipengine.label_request(shipment, rate, LabelFormat.PDF)["shipment"]["customs"]
    posted = canada_post.shipment_request(shipment, "1234567", "", "DOM.EP", LabelFormat.PDF).decode()
    return [
        form["ReasonForExport"],
        (info["contents_type"], info.get("contents_explanation")),
        (customs["contents"], customs.get("contents_explanation")),
        posted.partition("<reason-for-export>")[2].partition("<sku-list>")[0],
    ]


def test_every_carrier_gets_the_reason_in_its_own_codes() -> None:
    end, other = "</reason-for-export>", "<other-reason>{}</other-reason>"
    assert said_by("sale") == ["SALE", ("merchandise", None), ("merchandise", None), f"SOG{end}"]
    assert said_by("sample") == ["SAMPLE", ("sample", None), ("sample", None), f"SAM{end}"]
    gift = f"OTH{end}{other.format('gift')}"
    assert said_by("gift") == ["GIFT", ("gift", None), ("gift", None), gift]
    repair = ("other", "repair")
    assert said_by("repair") == ["REPAIR", repair, repair, f"REP{end}"]
    returned = f"OTH{end}{other.format('return')}"
    goods = ("returned_goods", None)
    assert said_by("return") == ["RETURN", goods, goods, returned]
