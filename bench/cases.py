"""Requests of each case, with a check of the first response."""

import json
import math
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.seed import EVENTS_PER_ORDER, Business
from haulier.kernel.http.answer_store import BESIDE_CONTENT_BYTES, MAX_KEPT_BYTES, MAX_SEEN
from haulier.kernel.values.pagination import MAX_COUNT

DISTINCT_REQUESTS = 2000
COLD_REQUESTS = MAX_KEPT_BYTES // BESIDE_CONTENT_BYTES
"""More numbers than responses are cached, so that each is read."""
ASKED_ONCE = 2 * MAX_SEEN
"""More requests than a server remembers having seen once, so that no response is cached."""
ASSIGNED_ORDERS = 200
INGESTED_EVENTS = 100
TIMELINE = "timeline, kept"
KEPT_TIMELINES = 200
PAGE = 20
ADDRESS = {
    "name": "A. Reader",
    "address": "100 King St W",
    "city": "Toronto",
    "region": "ON",
    "country": "CA",
    "lat": 43.648,
    "lng": -79.381,
}
SCANNED = "2026-06-10T11:30:00-04:00"
READ_POINT = "urn:epc:id:sgln:0614141.00777.0"
EPCIS_HEAD = {
    "@context": ["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"],
    "type": "EPCISDocument",
    "schemaVersion": "2.0",
    "creationDate": SCANNED,
}
Request = dict[str, Any]


@dataclass(frozen=True)
class BenchCase:
    """One row of the table.

    Cases with `grows` are measured at every size, others at the smallest only.
    """

    name: str
    requests: list[Request]
    holds: Callable[[Any], bool]
    grows: bool = False


MakeCase = Callable[[Business], BenchCase]
"""A case of a business. A new family adds one to `CASES`."""


def timeline_kept(business: Business) -> BenchCase:
    """The unit of all cases: the public timeline of a parcel from the cache."""
    numbers = [business.number(at) for at in _sample_order_ids(business)[:KEPT_TIMELINES]]
    return BenchCase(TIMELINE, [_timeline(number) for number in numbers], _timeline_holds, grows=True)


def timeline_read(business: Business) -> BenchCase:
    """Timelines of more numbers than responses are cached."""
    numbers = [business.number(at) for at in range(min(COLD_REQUESTS, business.tracked))]
    return BenchCase("timeline, read", [_timeline(number) for number in numbers], _timeline_holds)


def timeline_with_token(business: Business) -> BenchCase:
    """Timelines as seen by staff of the client."""
    requests = [_timeline(business.number(at), **_token(business)) for at in _sample_order_ids(business)]
    return BenchCase("timeline, token sent", requests, _timeline_holds, grows=True)


def timeline_read_with_token(business: Business) -> BenchCase:
    """Timelines for staff, of more numbers than responses are cached."""
    numbers = [business.number(at) for at in range(min(COLD_REQUESTS, business.tracked))]
    requests = [_timeline(number, **_token(business)) for number in numbers]
    return BenchCase("timeline, token, read", requests, _timeline_holds, grows=True)


def tracking_read(business: Business) -> BenchCase:
    """Requests of the public tracking page."""
    requests = [{"path": f"/api/v1/tracking/{business.number(at)}"} for at in _sample_order_ids(business)]
    return BenchCase("tracking read", requests, lambda told: len(told["events"]) == EVENTS_PER_ORDER, grows=True)


def order_kept(business: Business) -> BenchCase:
    """Orders for staff of the client, requested again without writes in between."""
    requests = [_order(business, at) for at in _sample_order_ids(business)]
    return BenchCase("order, kept", requests, _order_holds, grows=True)


def order_read(business: Business) -> BenchCase:
    """Orders for staff of the client, each read from the database."""
    places = [*_sample_order_ids(business)]
    spellings = range(1, ASKED_ONCE // len(places) + 2)
    requests = [_order(business, at, zeros) for zeros in spellings for at in places]
    return BenchCase("order read", requests, _order_holds, grows=True)


def orders_list_kept(business: Business) -> BenchCase:
    """Pages 1 to 20 of all orders, newest first, with the total, requested again."""
    requests = [_orders_page(business, page) for page in range(1, 21)]
    return BenchCase("orders list, kept", requests, _is_page(business), grows=True)


def orders_list(business: Business) -> BenchCase:
    """Pages of orders, each read: varied spellings of parameters avoid the cache."""
    spellings = range(1, math.isqrt(ASKED_ONCE // 20) + 2)
    requests = [
        _orders_page(business, page, zeros, more) for zeros in spellings for more in spellings for page in range(1, 21)
    ]
    return BenchCase("orders list", requests, _is_page(business), grows=True)


def quote_kept(business: Business) -> BenchCase:
    """The price of an order that is not placed, requested again."""
    return _quote(business, "quote, kept", ADDRESS)


def quote(business: Business) -> BenchCase:
    """The price of an order that was not requested before."""
    return _quote(business, "quote", {**ADDRESS, "name": "A. Reader {n}"})


def graphql_tracking(business: Business) -> BenchCase:
    """Public tracking over GraphQL."""
    requests = [_graphql(business.number(at)) for at in _sample_order_ids(business)]
    return BenchCase("GraphQL trackingPublic", requests, _graphql_holds)


def mcp_tracking(business: Business) -> BenchCase:
    """Public tracking as called by agents."""
    requests = [_tool(business.number(at)) for at in _sample_order_ids(business)]
    return BenchCase("MCP track_package", requests, _tool_holds)


def tracking_page(business: Business) -> BenchCase:
    """The tracking page of a parcel."""
    requests = [{"path": f"/track/{business.number(at)}"} for at in _sample_order_ids(business)]
    return BenchCase("tracking page", requests, lambda told: "<html" in told)


def order_create(business: Business) -> BenchCase:
    """Create an order with a new reference each time."""
    return BenchCase("order create", [_create(business)], lambda told: told["order"]["id"] > 0 and not told["existing"])


def orders_assigned(business: Business) -> BenchCase:
    """Assign groups of orders to one contractor, then to the other."""
    return BenchCase(
        f"assign {ASSIGNED_ORDERS} orders",
        _assignments(business),
        lambda told: told["assigned"] == _group(business),
    )


def events_taken(business: Business) -> BenchCase:
    """A batch of carrier scans, each of an unknown parcel.

    A timeline therefore has one event, regardless of the length of the run.
    """
    scans = [_scan(f"N{{n}}-{at}") for at in range(INGESTED_EVENTS)]
    return _ingest_case(business, f"ingest {INGESTED_EVENTS} events", [scans])


def known_events_taken(business: Business) -> BenchCase:
    """Batches of scans of parcels with twelve events.

    Each call scans the next hundred parcels, so timelines grow by one event per round.
    """
    numbers = [business.number(at) for at in _sample_order_ids(business)]
    starts = range(0, len(numbers) - INGESTED_EVENTS + 1, INGESTED_EVENTS)
    scans = [[_scan(number) for number in numbers[start : start + INGESTED_EVENTS]] for start in starts]
    return _ingest_case(business, f"ingest {INGESTED_EVENTS} events, known", scans)


def epcis_taken(business: Business) -> BenchCase:
    """The `ingest` case as an EPCIS document in JSON, of unknown parcels."""
    body = json.dumps({**EPCIS_HEAD, "epcisBody": {"eventList": [_epcis_event(at) for at in range(INGESTED_EVENTS)]}})
    return _epcis_case(business, "JSON", body)


def epcis_xml_taken(business: Business) -> BenchCase:
    """The `ingest` case as an EPCIS document in XML."""
    events = "".join(map(_epcis_xml_event, range(INGESTED_EVENTS)))
    head = f'<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" schemaVersion="2.0" creationDate="{SCANNED}">'
    body = f"{head}<EPCISBody><EventList>{events}</EventList></EPCISBody></epcis:EPCISDocument>"
    return _epcis_case(business, "XML", body)


def way_rated(business: Business) -> BenchCase:
    """A unified order rated by every service of a business: local delivery only."""
    form = {"shipper": ADDRESS, "consignee": ADDRESS, "packages": [{"weight_g": 1500}]}
    return BenchCase(
        "uniorder rate",
        [_post("/api/v1/uniorder/rate", form, Authorization=f"Bearer {business.token}")],
        lambda told: len(told["rates"]) > 0,
    )


def day_digested(business: Business) -> BenchCase:
    """Daily digest from stored aggregates."""
    return BenchCase(
        "daily digest",
        [{"path": "/api/v1/analytics/daily-digest", "headers": _token(business)}],
        lambda told: told["result"] is True,
    )


CASES: tuple[MakeCase, ...] = (
    timeline_kept,
    timeline_read,
    timeline_with_token,
    timeline_read_with_token,
    tracking_read,
    tracking_page,
    order_kept,
    order_read,
    orders_list_kept,
    orders_list,
    quote_kept,
    quote,
    graphql_tracking,
    mcp_tracking,
    way_rated,
    day_digested,
    order_create,
    orders_assigned,
    events_taken,
    known_events_taken,
    epcis_taken,
    epcis_xml_taken,
)
"""Every case in the order of the table: reads, then writes, which add and move orders."""


def chosen_cases(business: Business, what: str | None, *, smallest: bool) -> list[BenchCase]:
    """Return the cases with a text in their name, or all.

    Only growing cases are included except at the smallest size. The unit is always included.
    """
    made = [make(business) for make in CASES]
    return [
        case
        for case in made
        if (smallest or case.grows) and (what is None or what.lower() in case.name.lower() or case.name == TIMELINE)
    ]


def _token(business: Business) -> dict[str, str]:
    return {"Authorization": f"Bearer {business.token}"}


def _timeline(number: str, **headers: str) -> Request:
    return {"path": f"/api/v1/otep/trackings/{number}", "headers": headers}


def _order(business: Business, at: int, zeros: int = 0) -> Request:
    return {"path": f"/api/v1/orders/{'0' * zeros}{business.ids[at]}", "headers": _token(business)}


def _order_holds(told: Any) -> bool:
    return told["order"]["tracking_number"].startswith("HLB")


def _orders_page(business: Business, page: int, zeros: int = 0, more: int = 0) -> Request:
    path = f"/api/v1/orders?page={'0' * zeros}{page}&per_page={'0' * more}{PAGE}"
    return {"path": path, "headers": _token(business)}


def _is_page(business: Business) -> Callable[[Any], bool]:
    return lambda told: len(told["orders"]) == PAGE and told["total"] >= min(business.stored, MAX_COUNT)


def _quote(business: Business, name: str, consignee: dict[str, Any]) -> BenchCase:
    request = _post("/api/v1/orders/rate", {"consignee": consignee}, **_token(business))
    return BenchCase(name, [request], lambda told: told["result"] is True)


def _timeline_holds(told: Any) -> bool:
    return "events" in json.dumps(told)


def _sample_order_ids(business: Business) -> list[int]:
    return random.Random(business.stored).sample(range(business.tracked), min(DISTINCT_REQUESTS, business.tracked))


def _scan(number: str) -> dict[str, Any]:
    source = {"type": "carrier", "name": "Swift Post", "reference": f"{{n}}-{number}"}
    scan = {"occurred_at": "2026-06-10T11:30:00.{u}-04:00", "status_code": "in_transit", "source": source}
    return {"subject": {"tracking_number": number}, "events": [scan]}


def _ingest_case(business: Business, name: str, batches: list[list[dict[str, Any]]]) -> BenchCase:
    asked = _post("/api/v1/otep/ingest", {}, Authorization=f"Bearer {business.provider_key}")
    requests = [{**asked, "body": json.dumps({"timelines": scans})} for scans in batches]
    return BenchCase(name, requests, lambda told: told["counts"]["accepted"] == INGESTED_EVENTS)


def _epcis_case(business: Business, form: str, body: str) -> BenchCase:
    asked = _post("/api/v1/otep/ingest/epcis", {}, Authorization=f"Bearer {business.provider_key}")
    asked["headers"]["Content-Type"] = f"application/{form.lower()}"
    return BenchCase(
        f"EPCIS {form}, {INGESTED_EVENTS} events",
        [{**asked, "body": body}],
        lambda told: told["counts"]["accepted"] == INGESTED_EVENTS,
    )


def _epcis_event(at: int) -> dict[str, Any]:
    return {
        "type": "ObjectEvent",
        "action": "OBSERVE",
        "bizStep": "shipping",
        "disposition": "in_transit",
        "epcList": [f"urn:otep:subject:P{{n}}-{at}"],
        "eventTime": SCANNED,
        "eventTimeZoneOffset": "-04:00",
        "readPoint": {"id": READ_POINT},
    }


def _epcis_xml_event(at: int) -> str:
    return (
        f"<ObjectEvent><eventTime>{SCANNED}</eventTime><eventTimeZoneOffset>-04:00</eventTimeZoneOffset>"
        f"<epcList><epc>urn:otep:subject:X{{n}}-{at}</epc></epcList><action>OBSERVE</action>"
        "<bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep><disposition>urn:epcglobal:cbv:disp:in_transit</disposition>"
        f"<readPoint><id>{READ_POINT}</id></readPoint></ObjectEvent>"
    )


def _graphql(number: str) -> Request:
    query = "query($n: String!) { trackingPublic(number: $n) { status phase events { status_code occurred_at } } }"
    return _post("/graphql", {"query": query, "variables": {"n": number}})


def _graphql_holds(told: Any) -> bool:
    return "errors" not in told and len(told["data"]["trackingPublic"]["events"]) == EVENTS_PER_ORDER


def _tool(number: str) -> Request:
    call = {"name": "track_package", "arguments": {"number": number}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return _post("/mcp", asked, Accept="application/json, text/event-stream")


def _tool_holds(told: Any) -> bool:
    return len(told["result"]["structuredContent"]["events"]) == EVENTS_PER_ORDER


def _create(business: Business) -> Request:
    order = {
        "type": "D",
        "order_ref": f"{uuid.uuid4().hex[:12]}-{{n}}",
        "consignee": ADDRESS,
        "packages": [{"weight_g": 1500}],
    }
    return _post("/api/v1/client/orderCreate", order, Authorization=f"Bearer {business.token}")


def _group(business: Business) -> int:
    return min(ASSIGNED_ORDERS, len(business.waiting))


def _assignments(business: Business) -> list[Request]:
    """Assign groups of orders to one contractor, then the same groups to the other.

    Every call moves every order.
    """
    size = _group(business)
    starts = range(0, len(business.waiting) - size + 1, size)
    return [
        _post(
            "/api/v1/broker-order-assignments",
            {"order_ids": business.waiting[start : start + size], "broker_id": contractor},
            Authorization=f"Bearer {business.token}",
        )
        for contractor in business.contractors
        for start in starts
    ]


def _post(path: str, body: Any, **headers: str) -> Request:
    return {"method": "POST", "path": path, "body": json.dumps(body), "headers": headers}
