"""Which domain events are posted to webhooks, and under which names.

# Why: records are named as texts, not imported. Most of them are declared in contexts above this one, which the import
# direction forbids; and the names are an enumeration in the contract, which is complete before those contexts are loaded.
# A test compares the names with every event that a context declares.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

ALL_EVENTS = "*"
"""Stands for every event, present and future."""
TEST_EVENT = "webhook.test"
"""The event name of a test delivery."""


READ_BY_KIND: Mapping[str, str] = {
    "depot": "list_depots",
    "order": "get_order_detail",
    "tracking": "get_operation_events",
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
"""The operation that reads the data of an event, by the kind of its subject: who cannot call it cannot receive the event."""


class CatalogEvent(Struct, frozen=True, kw_only=True):
    """An event of the catalog."""

    name: str
    record_name: str
    """The name of the domain event's class."""
    kind: str | None = None
    """What it is about: order, tracking, route, …"""
    subject_field: str | None = None
    """The field that names the subject."""
    items_field: str | None = None
    """The field that holds a list; each item becomes a message of its own."""
    for_customers: bool = False
    """Whether a customer may get it, of their own orders."""

    @property
    def read_by(self) -> str:
        """The name of the operation that reads the data of the event."""
        return READ_BY_KIND[self.kind or self.name]

    @property
    def text_id(self) -> str:
        """The id of the text that explains it."""
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
    """The contents of the messages of an event: one, or one for each item of a list."""
    if entry.items_field is None:
        return [dict(event)]
    return [
        dict(item) if isinstance(item, Mapping) else {str(entry.subject_field): item}
        for item in event[entry.items_field]
    ]


def message_subject(entry: CatalogEvent, event: Mapping[str, Any]) -> str | None:
    """What a message is about: `order:17`, `tracking:HL0V…`; None for a message without a subject."""
    subject = event.get(entry.subject_field) if entry.subject_field else None
    return None if subject is None else f"{entry.kind}:{subject}"


def list_subscribed_events(events: Sequence[str], *, of_customer: bool) -> list[CatalogEvent]:
    """The events of the catalog that a subscription delivers, to a customer or to the business itself."""
    return [
        entry
        for entry in EVENT_CATALOG
        if is_subscribed(events, entry.name) and (entry.for_customers or not of_customer)
    ]


def is_subscribed(events: Sequence[str], name: str) -> bool:
    """Whether a subscription to some events includes this one."""
    return ALL_EVENTS in events or name in events
