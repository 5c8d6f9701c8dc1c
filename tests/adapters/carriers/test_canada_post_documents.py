"""Canada Post's documented XML rules; its terms forbid copies of the schemas.

All documents of connector and simulated carrier are checked, for every call of an account.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time

import msgspec
import pytest
from defusedxml.ElementTree import fromstring
from tests.adapters.carriers.simulated import ACCOUNTS, SHIP_AT, TORONTO
from tests.adapters.carriers.tour import exchanges_with

from haulier.adapters.carriers.canada_post.requests import pickup_request, shipment_request
from haulier.contexts.shipping.ports import CarrierRefused, CustomsItem, LabelFormat, PickupRequest
from haulier.kernel.values.money import Money

NEEDED = {
    "mailing-scenario": "parcel-characteristics origin-postal-code destination",
    "parcel-characteristics": "weight",
    "dimensions": "length width height",
    "shipment": "group-id requested-shipping-point delivery-spec",
    "delivery-spec": "service-code sender destination parcel-characteristics preferences settlement-info",
    "sender": "company contact-phone address-details",
    "address-details": "address-line-1 city",
    "preferences": "show-packing-instructions",
    "settlement-info": "intended-method-of-payment",
    "customs": "currency reason-for-export sku-list",
    "transmit-set": "group-ids requested-shipping-point detailed-manifests method-of-payment manifest-address",
    "manifest-address": "manifest-company phone-number address-details",
    "pickup-request-details": "pickup-type pickup-location contact-info location-details pickup-volume pickup-times",
    "on-demand-pickup-time": "date preferred-time closing-time",
    "price-quote": "service-code service-link service-name price-details",
    "price-details": "base due",
    "shipment-info": "shipment-id shipment-status links",
    "shipment-price": "service-code base-amount pre-tax-amount gst-amount pst-amount hst-amount due-amount rated-weight",
    "manifest": "po-number links",
    "pickup-request-info": "pickup-request-header links",
    "tracking-detail": "pin active-exists signature-image-exists significant-events",
    "occurrence": "event-identifier event-date event-time event-time-zone event-description event-site event-retail-name",
    "message": "code description",
}
"""Required children of each element."""
A_POSTAL_CODE, AN_AMOUNT, A_DAY = r"[A-Z]\d[A-Z]\d[A-Z]\d", r"\d{1,7}\.\d{2}", r"\d{4}-\d\d-\d\d"
A_QUARTER = "1[2-7]:(00|15|30|45)"
WRITTEN = {
    "origin-postal-code": A_POSTAL_CODE,
    "requested-shipping-point": A_POSTAL_CODE,
    "postal-code": A_POSTAL_CODE,
    "zip-code": r"\d{5}(-\d{4})?",
    "weight": r"\d{1,2}(\.\d{1,3})?",
    "unit-weight": r"\d{1,2}(\.\d{1,3})?",
    "length": r"\d{1,3}(\.\d)?",
    "width": r"\d{1,3}(\.\d)?",
    "height": r"\d{1,3}(\.\d)?",
    "expected-mailing-date": A_DAY,
    "date": A_DAY,
    "preferred-time": A_QUARTER,
    "closing-time": A_QUARTER,
    "contact-phone": r".{1,25}",
    "customer-request-id": r".{1,35}",
    "group-id": r"[\w-]{1,32}",
    "address-line-1": r".{1,44}",
    "city": r".{1,40}",
    "country-code": r"[A-Z]{2}",
    "option-amount": AN_AMOUNT,
    "customs-value-per-unit": AN_AMOUNT,
    "customs-description": r".{1,45}",
    "hs-tariff-code": r"\d{4}(\.\d{2}){0,3}",
    "reason-for-export": "DOC|SAM|REP|SOG|OTH",
    "encoding": "PDF|ZPL",
    "output-format": "4x6|8.5x11",
    "due-amount": AN_AMOUNT,
    "base-amount": AN_AMOUNT,
    "po-number": r"[A-Za-z0-9]{1,10}",
    "pickup-instructions": r".{1,132}",
}
"""Text formats of elements."""
KINDS = {
    "mailing-scenario": "application/vnd.cpc.ship.rate-v4+xml",
    "shipment": "application/vnd.cpc.shipment-v8+xml",
    "transmit-set": "application/vnd.cpc.manifest-v8+xml",
}
"""The version of a service is named by the kind of document."""


def name_of(element) -> str:
    return element.tag.rpartition("}")[2]


def faults(document: bytes) -> Iterator[str]:
    """Return missing elements and invalid formats of a document."""
    for element in fromstring(document).iter():
        name, children = name_of(element), [name_of(child) for child in element]
        yield from (f"{name} without {each}" for each in NEEDED.get(name, "").split() if each not in children)
        if not children and name in WRITTEN and not re.fullmatch(WRITTEN[name], element.text or ""):
            yield f"{name} is {element.text!r}"


async def test_all_documents_follow_canada_posts_specification() -> None:
    exchanges = await exchanges_with("canada-post")
    documents = [each for pair in exchanges for each in (pair.request, pair.answer) if each.lstrip().startswith(b"<")]
    assert sorted({fault for each in documents for fault in faults(each)}) == []
    said = {name_of(element) for each in documents for element in fromstring(each).iter()}
    assert NEEDED.keys() - said == set(), "each rule was met with"
    for each in exchanges:
        root = name_of(fromstring(each.request)) if each.request else ""
        if root in KINDS:
            assert (each.headers["content-type"], each.headers["accept"]) == (KINDS[root], KINDS[root])


@pytest.mark.parametrize(
    ("code", "written"),
    [("640399", "6403.99"), ("6403.99.60.10", "6403.99.60.10"), ("6403", "6403"), ("64039", "6403"), ("shoes", None)],
)
def test_a_tariff_code_is_written_in_pairs(code: str, written: str | None) -> None:
    (account,) = (each for each in ACCOUNTS if each.code == "CANADA_POST")
    boston = msgspec.structs.replace(account.shipment.recipient, country="US", region="MA", postal_code="02108")
    goods = (CustomsItem("Shoes", 1, Money(2500, "CAD"), 400, "PT", hs_code=code),)
    shipment = msgspec.structs.replace(account.shipment, reference="R-1", recipient=boston, customs=goods)
    document = fromstring(shipment_request(shipment, "1", "2", "USA.XP", LabelFormat.PDF))
    assert next((each.text for each in document.iter() if name_of(each) == "hs-tariff-code"), None) == written


def times(ready: str, closes: str) -> list[str]:
    """When Canada Post is asked to come, for a window of a day."""
    first, last = (datetime.combine(SHIP_AT.date(), time.fromisoformat(each), UTC) for each in (ready, closes))
    document = fromstring(pickup_request(PickupRequest("pick-1", TORONTO, first, last, 1, 1250, "", ()), ""))
    return [each.text or "" for each in document.iter() if name_of(each) in ("preferred-time", "closing-time")]


def test_a_pickup_is_requested_in_quarter_hours_within_canada_posts_hours() -> None:
    assert times("08:00", "18:00") == ["12:00", "17:45"]
    assert times("13:01", "16:59") == ["13:15", "16:45"]
    for window in (("08:00", "11:30"), ("18:00", "20:00")):
        with pytest.raises(CarrierRefused, match=r"carrier\.pickup_hours.*12:00.*17:45"):
            times(*window)
