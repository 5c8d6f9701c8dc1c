"""Parsers for Canada Post responses, without I/O."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

from msgspec import Struct

from haulier.adapters.carriers.canada_post.xml import XmlNode
from haulier.contexts.otep.public import translate_status
from haulier.contexts.shipping.ports import (
    CarrierEvent,
    CarrierMessage,
    Charge,
    Pickup,
    Rate,
    Rates,
    Severity,
    UnreadScan,
)
from haulier.kernel.values.money import Money

CURRENCY = "CAD"
_CHARGES = {"FUELSC": "fuel"}
_ZONES: Mapping[str, timezone] = {
    name: timezone(timedelta(hours=hours))
    for name, hours in {
        "NST": -3.5, "NDT": -2.5, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4,
        "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    }.items()
}  # fmt: skip
"""Time zone abbreviations in Canada Post scans."""


class Link(Struct, frozen=True):
    """Address of a resource, and the media type to request."""

    href: str
    media_type: str


class Bought(Struct, frozen=True):
    """Shipment as reported by Canada Post. `links` are keyed by `rel`."""

    shipment_id: str
    status: str
    tracking_pin: str
    links: Mapping[str, Link]
    price: Money | None = None
    service: str = ""


def read_rates(document: bytes) -> Rates:
    """Return prices with their charges."""
    return Rates(tuple(map(_rate, XmlNode.parse(document, "price-quotes").all("price-quote"))))


def _rate(quote: XmlNode) -> Rate:
    details = quote.first("price-details") or quote
    charges = [Charge("base", "Base", _money(details.need("base")))]
    charges += [
        Charge(option.text("option-code"), option.text("option-name"), _money(option.text("option-price") or "0"))
        for option in details.all("options", "option")
    ]
    charges += [
        Charge(
            _CHARGES.get(part.text("adjustment-code"), part.text("adjustment-code")),
            part.text("adjustment-name"),
            _money(part.need("adjustment-cost")),
        )
        for part in details.all("adjustments", "adjustment")
    ]
    charges += [
        Charge("tax", name.upper(), _money(details.text("taxes", name) or "0")) for name in ("gst", "pst", "hst")
    ]
    days = quote.text("service-standard", "expected-transit-time")
    return Rate(
        service=quote.need("service-code"),
        name=quote.text("service-name"),
        price=_money(details.need("due")),
        charges=tuple(charge for charge in charges if charge.amount.minor or charge.code == "base"),
        transit_days=int(days) if days.isdecimal() else None,
        guaranteed=quote.text("service-standard", "guaranteed-delivery") == "true",
        po_boxes=True,
    )


def _money(text: str) -> Money:
    """Parse an amount in dollars.

    Canada Post writes most amounts with two decimals, some with one or none.
    """
    return Money.parse(text, CURRENCY)


def read_shipment(document: bytes) -> Bought:
    node = XmlNode.parse(document, "shipment-info")
    due = node.text("shipment-price", "due-amount")
    return Bought(
        shipment_id=node.need("shipment-id"),
        status=node.text("shipment-status"),
        tracking_pin=node.text("tracking-pin"),
        links=_links(node),
        price=_money(due) if due else None,
        service=node.text("shipment-price", "service-code"),
    )


def read_shipments(document: bytes) -> list[str]:
    """Return the addresses of shipments."""
    return [link.attribute("href") for link in XmlNode.parse(document, "shipments").all("link")]


def read_manifests(document: bytes) -> list[str]:
    """Return the addresses of manifests."""
    return [link.attribute("href") for link in XmlNode.parse(document, "manifests").all("link")]


def read_manifest(document: bytes) -> tuple[str, Link]:
    """Return a manifest's number and the link to its document."""
    node = XmlNode.parse(document, "manifest")
    return node.need("po-number"), _links(node)["artifact"]


def _links(node: XmlNode) -> dict[str, Link]:
    found = node.all("links", "link")
    return {each.attribute("rel"): Link(each.attribute("href"), each.attribute("media-type")) for each in found}


def last_part(address: str) -> str:
    """Return the ID at the end of an address."""
    return address.rstrip("/").rpartition("/")[2]


def read_events(document: bytes) -> list[CarrierEvent | UnreadScan]:
    """Return scans, the earliest first, followed by those without a readable time."""
    scans = XmlNode.parse(document, "tracking-detail").all("significant-events", "occurrence")
    read = [(read_event(facts), facts) for scan in scans for facts in [{name: scan.text(name) for name in _FACTS}]]
    events = sorted((event for event, _ in read if event), key=lambda event: (event.occurred_at, event.event_id))
    unread = [UnreadScan("canada_post", facts) for event, facts in read if not event]
    return [*events, *unread]


_FACTS = (
    "event-identifier",
    "event-date",
    "event-time",
    "event-time-zone",
    "event-description",
    "event-site",
    "event-province",
    "event-retail-location-id",
)


def read_event(facts: Mapping[str, str]) -> CarrierEvent | None:
    """Return a scan, or None if its time or zone is unknown."""
    zone, code = _ZONES.get(facts["event-time-zone"]), facts["event-identifier"]
    moment = f"{facts['event-date']} {facts['event-time']}"
    try:
        at = datetime.strptime(moment, "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007 - the zone is a separate field
    except ValueError:
        return None
    if zone is None:
        return None
    seal = "|".join((code, moment, facts["event-site"], facts["event-retail-location-id"]))
    return CarrierEvent(
        event_id=hashlib.sha256(seal.encode()).hexdigest()[:32],
        code=code,
        otep_code=translate_status("canada_post", code).status_code,
        occurred_at=at.replace(tzinfo=zone).astimezone(UTC),
        text=facts["event-description"],
        city=facts["event-site"],
        region=facts["event-province"],
        country="CA" if facts["event-province"] else "",
    )


def read_pickup(document: bytes) -> Pickup:
    """Return a booked pickup, with its price if reported."""
    node = XmlNode.parse(document, "pickup-request-info")
    due = node.text("pickup-request-price", "due-amount")
    return Pickup(node.need("pickup-request-header", "request-id"), _money(due) if due else None)


def read_refusal(document: bytes) -> list[CarrierMessage]:
    """Return the reasons for a refusal."""
    return [
        CarrierMessage(message.text("description"), message.text("code") or None, Severity.ERROR)
        for message in XmlNode.parse(document, "messages").all("message")
    ]
