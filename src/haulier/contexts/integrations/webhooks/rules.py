"""Rules of webhooks.

Records are named as texts, not imported: most of them are declared in contexts above this one, which the import
direction forbids; and the names are an enumeration in the contract, which is complete before those contexts are loaded.
A test compares the names with every event that a context declares.

The headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature` go with each request. A
signature is `v1,` and the base64 of an HMAC-SHA256 over `id.timestamp.body`; while a secret is being replaced there are
two, with a space between. The key is the base64 text after `whsec_`. (standardwebhooks.com, specification 1.0.0;
docs/decisions/events.md)
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from haulier.kernel.operations.errors import FieldError, declare_error

WEBHOOK_URL_REFUSED = declare_error("webhook_url_refused", 422, fields=("url",))
LOCAL_SUFFIXES = (".local", ".internal", ".localhost", ".home.arpa")


def check_webhook_url(url: str, *, private: bool) -> str | None:
    """Return the code why nothing may be posted to an address, or None.

    Requires https to a public host; if `private` addresses are allowed, http to those as well. An address with a
    password is rejected: it would appear in every log.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "malformed"
    if not url.isascii() or not url.isprintable() or " " in url or not host or parts.scheme not in ("http", "https"):
        return "malformed"
    if "@" in parts.netloc or parts.fragment:
        return "malformed"
    inside = is_private_host(host)
    if inside and not private:
        return "private"
    if parts.scheme == "http" and not inside:
        return "not_https"
    return None


def is_private_host(host: str) -> bool:
    """Return True if a host is local by its name alone."""
    try:
        ip = ip_address(host)
    except ValueError:
        name = host.rstrip(".").lower()
        return (
            name == "localhost" or "." not in name or name.endswith(LOCAL_SUFFIXES) or name.replace(".", "").isdecimal()
        )
    return not ip.is_global


ALL_EVENTS = "*"
"""Wildcard for every event, present and future."""
TEST_EVENT = "webhook.test"
"""Event name of a test delivery."""


READ_BY_KIND: Mapping[str, str] = {
    "depot": "list_depots",
    "order": "get_order_detail",
    "tracking": "get_operation_events",
    "backorder": "get_backorder",
    "order_return": "get_order_return",
    "plan_search": "get_plan_search",
    "assignment": "list_broker_order_assignments",
    "route": "get_route_detail",
    "stop": "get_route_detail",
    "board": "get_board_route",
    "offer": "list_broker_order_assignments",
    "driver": "get_driver",
    "cash": "list_driver_cash",
    "payment": "get_payment",
    "shipment": "list_shipments",
    "shipping_order": "get_customers_shipping_order",
    "inbound_parcel": "get_inbound_parcel",
    "uniorder": "uniorder_job",
    "manifest": "get_shipping_manifest",
    "storage_order": "get_customer_storage_order",
    "device_order": "get_device_order",
    "reservation": "get_reservation",
    "waiting_entry": "get_waiting_entry",
    "luggage": "get_luggage_booking",
    "luggage_claim": "get_luggage_claim",
    "device_return": "get_device_return",
    "transfer": "get_transfer",
    "shipout": "get_customer_shipout",
    "freight_shipment": "get_freight_shipment",
    "locker_parcel": "get_locker_parcel",
    "shop_purchase": "get_shop_purchase",
    "locker_offer": "get_locker_offer",
    "locker_lease": "get_locker_lease",
    "locker_box": "list_locker_boxes",
    "device": "get_device",
    "firmware_rollout": "get_firmware_rollout",
    "package": "get_package",
    "warehouse": "get_warehouse",
    "product": "get_product",
    "stock_shortage": "list_stock_shortages",
    "invoice": "get_invoice",
    "credit": "get_credit_statement",
    "address": "get_address",
    "address_import": "get_address_import",
    "point_of_interest": "get_point_of_interest",
    "zone_map": "get_zone_map",
    "place_import": "get_place_import",
    "dataset": "get_dataset",
    "dataset_record": "get_dataset_record",
    "dataset_import": "get_dataset_import",
    "user": "get_user",
    "approval": "list_pending_approvals",
}
"""Operation that reads the data of an event, by subject kind. Its callers can receive the event."""


class CatalogEvent(Struct, frozen=True, kw_only=True):
    """An event of the catalog."""

    name: str
    record_name: str
    """The name of the domain event's class."""
    kind: str | None = None
    """Kind of subject: order, tracking, route, …"""
    subject_field: str | None = None
    """The field that names the subject."""
    items_field: str | None = None
    """The field that holds a list; each item becomes a message of its own."""
    for_customers: bool = False
    """If true, customers get it for their own orders."""

    @property
    def read_by(self) -> str:
        """Return the name of the operation that reads the data of the event."""
        return READ_BY_KIND[self.kind or self.name]

    @property
    def text_id(self) -> str:
        """Return the id of the text that explains it."""
        return f"webhook_event.{self.name}"


def _catalog_events(
    kind: str, subject_field: str | None, /, for_customers: bool = False, **record_names: str
) -> list[CatalogEvent]:
    return [
        CatalogEvent(
            name=f"{kind}.{name}",
            record_name=record,
            kind=kind,
            subject_field=subject_field,
            for_customers=for_customers,
        )
        for name, record in record_names.items()
    ]


EVENT_CATALOG: Sequence[CatalogEvent] = (
    *_catalog_events(
        "order",
        "order_id",
        for_customers=True,
        created="OrderCreated",
        changed="OrderChanged",
        status_changed="OrderStatusChanged",
        held="OrderHeld",
        released="OrderReleased",
        cancelled="OrderCancelled",
        cod_collected="CodCollected",
        cod_written_off="CodWrittenOff",
    ),
    CatalogEvent(
        name="tracking.updated",
        record_name="TrackingRecorded",
        kind="tracking",
        subject_field="tracking_number",
        items_field="updates",
        for_customers=True,
    ),
    CatalogEvent(
        name="tracking.corrected",
        record_name="TrackingCorrected",
        kind="tracking",
        subject_field="tracking_number",
        items_field="tracking_numbers",
    ),
    CatalogEvent(
        name="delivery.rated",
        record_name="DeliveryRated",
        kind="order",
        subject_field="order_id",
        for_customers=True,
    ),
    *_catalog_events("backorder", "backorder_id", created="BackorderCreated", changed="BackorderChanged"),
    *_catalog_events("order_return", "order_return_id", created="OrderReturnCreated", changed="OrderReturnChanged"),
    *_catalog_events("plan_search", "plan_search_id", improved="PlanSearchImproved", ended="PlanSearchEnded"),
    *_catalog_events("assignment", None, made="OrdersAssigned", ended="AssignmentsEnded"),
    *_catalog_events(
        "route",
        "route_id",
        created="RouteCreated",
        assigned="RouteAssigned",
        published="RoutePublished",
        unpublished="RouteUnpublished",
        started="RouteStarted",
        finished="RouteFinished",
        cancelled="RouteCancelled",
        aborted="RouteAborted",
        loaded="RouteLoaded",
        stops_moved="StopsMoved",
        handed_over="StopsHandedOver",
        merged="RoutesMerged",
    ),
    *_catalog_events(
        "stop",
        "stop_id",
        arrived="StopArrived",
        completed="StopCompleted",
        failed="StopFailed",
        disputed="StopDisputed",
        reopened="StopReopened",
    ),
    *_catalog_events(
        "board", "route_id", posted="RoutePosted", left="RouteLeftBoard", claimed="RouteClaimed", freed="ClaimEnded"
    ),
    *_catalog_events("offer", "job_id", made="OrderOffered", ended="OfferEnded"),
    *_catalog_events("driver", "driver_id", admitted="DriverApproved", document_expiring="DriverDocumentExpiring"),
    *_catalog_events("cash", "driver_id", handed_in="CashHandedIn"),
    *_catalog_events(
        "payment",
        "payment_id",
        succeeded="PaymentSucceeded",
        refunded="PaymentRefunded",
        disputed="PaymentDisputed",
    ),
    *_catalog_events(
        "shipment",
        "shipment_id",
        label_bought="LabelBought",
        label_failed="LabelPurchaseFailed",
        label_voided="LabelVoided",
        moved="ShipmentMoved",
    ),
    *_catalog_events(
        "shipping_order", "shipping_order_id", placed="ShippingOrderPlaced", changed="ShippingOrderChanged"
    ),
    *_catalog_events(
        "inbound_parcel",
        "parcel_id",
        arrived="InboundParcelArrived",
        matched="InboundParcelMatched",
        unmatched="InboundParcelUnmatched",
        unclaimed="InboundParcelUnclaimed",
        claimed="InboundParcelClaimed",
    ),
    *_catalog_events("uniorder", "job_id", job_finished="UniorderJobFinished"),
    *_catalog_events("manifest", "manifest_id", closed="ManifestClosed"),
    *_catalog_events(
        "storage_order",
        "storage_order_id",
        changed="StorageOrderChanged",
        received="PackagesReceived",
        returned="PackageReturned",
        charged="StorageCharged",
    ),
    *_catalog_events("device_order", "device_order_id", changed="DeviceOrderChanged"),
    *_catalog_events("reservation", "reservation_id", changed="ReservationChanged"),
    *_catalog_events("waiting_entry", "waiting_entry_id", changed="WaitingEntryChanged"),
    *_catalog_events("luggage", "luggage_id", changed="LuggageChanged"),
    *_catalog_events("luggage_claim", "luggage_claim_id", changed="LuggageClaimChanged"),
    *_catalog_events("device_return", "device_return_id", changed="DeviceReturnChanged"),
    *_catalog_events(
        "transfer",
        "transfer_id",
        dispatched="TransferDispatched",
        received="TransferReceived",
        completed="TransferCompleted",
        rolled_back="TransferRolledBack",
    ),
    *_catalog_events("shipout", "shipout_id", changed="ShipoutChanged"),
    *_catalog_events("freight_shipment", "freight_shipment_id", changed="FreightShipmentChanged"),
    *_catalog_events("locker_parcel", "parcel_id", changed="LockerParcelChanged"),
    *_catalog_events("shop_purchase", "purchase_id", changed="ShopPurchaseChanged"),
    *_catalog_events("locker_offer", "locker_offer_id", changed="LockerOfferChanged"),
    *_catalog_events("locker_lease", "locker_lease_id", changed="LockerLeaseChanged"),
    *_catalog_events("locker_box", "box_id", changed="LockerBoxChanged"),
    *_catalog_events("device", "device_id", command_ended="DeviceCommandEnded", alarm_changed="DeviceAlarmChanged"),
    *_catalog_events("firmware_rollout", "firmware_rollout_id", changed="FirmwareRolloutChanged"),
    *_catalog_events("package", "number", misrouted="PackageMisrouted"),
    *_catalog_events(
        "warehouse",
        "warehouse_id",
        stock_received="StockReceived",
        count_approved="StockCountApproved",
        stock_shipped="StockShipped",
    ),
    *_catalog_events("product", "product_id", stock_adjusted="StockAdjusted", stock_low="StockRanLow"),
    *_catalog_events("stock_shortage", "shortage_id", opened="StockShortageOpened"),
    *_catalog_events("invoice", "invoice_id", issued="InvoiceIssued", changed="InvoiceChanged", dunned="InvoiceDunned"),
    *_catalog_events("credit", "customer_id", changed="CreditChanged", limit_set="CreditLimitSet"),
    *_catalog_events("address", "address_id", changed="AddressChanged"),
    *_catalog_events("address_import", "import_id", finished="AddressesImported"),
    *_catalog_events("point_of_interest", "point_of_interest_id", changed="PointOfInterestChanged"),
    *_catalog_events("zone_map", "zone_map_id", published="ZoneMapPublished"),
    *_catalog_events("place_import", "place_import_id", finished="PlacesImported"),
    *_catalog_events("dataset", "dataset_id", changed="DatasetChanged"),
    *_catalog_events("dataset_record", "record_id", changed="DatasetRecordChanged"),
    *_catalog_events("dataset_import", "import_id", finished="DatasetImported"),
    *_catalog_events("user", "user_id", created="UserCreated", disabled="UserDisabled"),
    *_catalog_events("approval", "approval_id", proposed="WriteProposed", decided="WriteDecided"),
)
EVENT_BY_NAME: Mapping[str, CatalogEvent] = {entry.name: entry for entry in EVENT_CATALOG}
EVENT_BY_RECORD: Mapping[str, CatalogEvent] = {entry.record_name: entry for entry in EVENT_CATALOG}


def split_event(entry: CatalogEvent, event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of an event: one, or one for each item of a list."""
    if entry.items_field is None:
        return [dict(event)]
    return [
        dict(item) if isinstance(item, Mapping) else {str(entry.subject_field): item}
        for item in event[entry.items_field]
    ]


def message_subject(entry: CatalogEvent, event: Mapping[str, Any]) -> str | None:
    """Return the subject of a message: `order:17`, `tracking:HL0V…`, or None."""
    subject = event.get(entry.subject_field) if entry.subject_field else None
    return None if subject is None else f"{entry.kind}:{subject}"


def list_subscribed_events(events: Sequence[str], *, of_customer: bool) -> list[CatalogEvent]:
    """Return the catalog events of a subscription, for a customer or the business."""
    return [
        entry
        for entry in EVENT_CATALOG
        if is_subscribed(events, entry.name) and (entry.for_customers or not of_customer)
    ]


def is_subscribed(events: Sequence[str], name: str) -> bool:
    """Return True if a subscription includes an event."""
    return ALL_EVENTS in events or name in events


WEBHOOK_ENDPOINT_OFF = declare_error("webhook_endpoint_off", 409)

RETRY_DELAYS_S = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000)
"""Seconds before each attempt: 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h; about 28 hours in all."""
MAX_ATTEMPTS = len(RETRY_DELAYS_S)
JITTER_SHARE = 0.2
"""Delays vary by up to this share, so that deliveries that failed together are not retried together."""
MAX_RETRY_WAIT_S = 36_000
HTTP_GONE = 410
PAUSE_AFTER_FAILURES = 10
"""Failures in a row after which an endpoint is paused, so that it does not delay the others."""
PAUSE_S = 60
DISABLE_AFTER = timedelta(days=5)
"""Time without an accepted message after which an endpoint is disabled."""


class WebhookDeliveryStatus(StrEnum):
    """The state of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    SKIPPED = "skipped"


class DisableReason(StrEnum):
    """Reasons why an endpoint was disabled."""

    GONE = "gone"
    FAILING = "failing"
    SET_UP_ENDED = "set_up_ended"


class EndpointHealth(Struct, frozen=True, kw_only=True):
    """Health of an endpoint: failures in a row, their start, and the end of a pause."""

    failures: int = 0
    failing_since: datetime | None = None
    rests_until: datetime | None = None


class AttemptOutcome(Struct, frozen=True, kw_only=True):
    """Consequences of an attempt."""

    status: WebhookDeliveryStatus
    retry_at: datetime | None
    health: EndpointHealth
    disable: DisableReason | None = None


def is_accepted_status(status: int | None) -> bool:
    """Return True for any 2xx status. Redirects are not accepted."""
    return status is not None and 200 <= status < 300


def evaluate_attempt(
    health: EndpointHealth,
    *,
    tries: int,
    status: int | None,
    retry_after_s: int | None,
    now: datetime,
    jitter: float,
) -> AttemptOutcome:
    """Return the consequences of attempt `tries`, from 1; `jitter` is within -1 and 1."""
    if is_accepted_status(status):
        return AttemptOutcome(status=WebhookDeliveryStatus.DELIVERED, retry_at=None, health=EndpointHealth())
    since = health.failing_since or now
    failures = health.failures + 1
    rests = now + timedelta(seconds=PAUSE_S) if failures >= PAUSE_AFTER_FAILURES else None
    disable = (
        DisableReason.GONE if status == HTTP_GONE else DisableReason.FAILING if now - since >= DISABLE_AFTER else None
    )
    over = disable is not None or tries >= MAX_ATTEMPTS
    return AttemptOutcome(
        status=WebhookDeliveryStatus.FAILED if over else WebhookDeliveryStatus.PENDING,
        retry_at=None if over else now + timedelta(seconds=retry_wait_s(tries, retry_after_s, jitter)),
        health=EndpointHealth(failures=failures, failing_since=since, rests_until=rests),
        disable=disable,
    )


def retry_wait_s(tries: int, retry_after_s: int | None, jitter: float) -> float:
    """Return the seconds until the next attempt: the table's delay, or the receiver's."""
    step = RETRY_DELAYS_S[tries] * (1 + JITTER_SHARE * jitter)
    return max(step, min(retry_after_s or 0, MAX_RETRY_WAIT_S))


WEBHOOK_SECRET_UNUSABLE = declare_error("webhook_secret_unusable", 422, fields=("secret",))

SECRET_PREFIX = "whsec_"
SIGNATURE_VERSION = "v1"
KEY_BYTES = 32
MIN_KEY_BYTES, MAX_KEY_BYTES = 16, 64
TOLERANCE_S = 300
"""Seconds. A request whose time is further from now is refused, so that a recorded one cannot be replayed later."""
ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER = "webhook-id", "webhook-timestamp", "webhook-signature"


class SignatureVerification(StrEnum):
    """The result of verifying a signature."""

    VALID = "valid"
    TOO_OLD = "too_old"
    TOO_NEW = "too_new"
    MALFORMED = "malformed"
    MISMATCH = "mismatch"


def generate_webhook_secret() -> str:
    """Return a secret of 256 random bits."""
    return SECRET_PREFIX + b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def decode_secret_key(secret: str) -> bytes | None:
    """Return the bytes of a secret; None for a text that is no secret."""
    try:
        key = b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (NotBase64, ValueError):
        return None
    return key if MIN_KEY_BYTES <= len(key) <= MAX_KEY_BYTES else None


def signature_headers(message_id: str, at: datetime, body: bytes, keys: Iterable[bytes]) -> dict[str, str]:
    """Return the headers of a body sent now, signed with each of the keys."""
    seconds = str(int(at.timestamp()))
    return {
        ID_HEADER: message_id,
        TIMESTAMP_HEADER: seconds,
        SIGNATURE_HEADER: " ".join(_sign_payload(message_id, seconds, body, key) for key in keys),
    }


def _sign_payload(message_id: str, seconds: str, body: bytes, key: bytes) -> str:
    signed = b".".join((message_id.encode(), seconds.encode(), body))
    return f"{SIGNATURE_VERSION},{b64encode(hmac.digest(key, signed, 'sha256')).decode()}"


def verify_signature(
    headers: Mapping[str, str], body: bytes, key: bytes, now: datetime, tolerance_s: int = TOLERANCE_S
) -> SignatureVerification:
    """Verify a request by headers, raw body, key and the receiver's clock."""
    seconds = headers[TIMESTAMP_HEADER]
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) <= 12):
        return SignatureVerification.MALFORMED
    signatures = [part for part in headers[SIGNATURE_HEADER].split(" ") if part.startswith(f"{SIGNATURE_VERSION},")]
    if not signatures:
        return SignatureVerification.MALFORMED
    expected = _sign_payload(headers[ID_HEADER], seconds, body, key).encode()
    if not any(hmac.compare_digest(signature.encode(), expected) for signature in signatures):
        return SignatureVerification.MISMATCH
    age = now.timestamp() - int(seconds)
    if abs(age) > tolerance_s:
        return SignatureVerification.TOO_OLD if age > 0 else SignatureVerification.TOO_NEW
    return SignatureVerification.VALID


class EventSubscription(Struct, frozen=True, kw_only=True):
    """An address, its events, and optionally the customer."""

    url: str
    events: Sequence[str]
    customer_id: int | None = None


def check_subscriptions(
    subscriptions: Sequence[EventSubscription], *, customers: Collection[int], private: bool
) -> Iterator[FieldError]:
    """Yield validation errors of addresses, customers, and events."""
    for index, subscription in enumerate(subscriptions):
        path = f"endpoints.{index}"
        if reason := check_webhook_url(subscription.url, private=private):
            yield FieldError(f"{path}.url", f"field.webhook_url_{reason}")
        if subscription.customer_id is None:
            continue
        if subscription.customer_id not in customers:
            yield FieldError(f"{path}.customer_id", "field.webhook_customer_unknown")
        for number, name in enumerate(subscription.events):
            if name != ALL_EVENTS and not EVENT_BY_NAME[name].for_customers:
                yield FieldError(f"{path}.events.{number}", "field.webhook_event_not_for_customers")
