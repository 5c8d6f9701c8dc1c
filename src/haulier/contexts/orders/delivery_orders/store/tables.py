"""The tables of delivery orders."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)

from haulier.contexts.custom_fields.public import ResourceKind, custom_fields_column
from haulier.contexts.orders.delivery_orders.rules.items import DESCRIPTION_MAX, HS_CODE_MAX, SKU_MAX
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.rules.ratings import RATING_COMMENT_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import VOLATILE, Json, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import REASON_MAX


def _index_of_given(name: str, column: str) -> Index:
    """Return a partial index of the orders that have a value in a column.

    New orders rarely have a value and then cost no entry.
    """
    given = text(f"{column} IS NOT NULL")
    return Index(name, "client_id", column, "id", sqlite_where=given, postgresql_where=given)


orders = tenant_table(
    "delivery_order",
    Column("order_ref", String(100)),
    Column("tracking_number", String(64), nullable=False, info=VOLATILE),
    Column("type", String(3), nullable=False),
    Column("status", Integer, nullable=False, info={"enum": OrderStatus}),
    Column("fulfilment", String(20), nullable=False),
    Column("third_party_held", Boolean, nullable=False),
    Column("scheduled_date", Date),
    Column("customer_id", BigInteger),
    Column("contractor_id", BigInteger),
    Column("driver_id", BigInteger),  # id of a user, for visibility; answers call it driver_user_id
    Column("route_driver_id", BigInteger),  # drivers without an account are counted, too
    Column("shipper", Json),
    Column("consignee", Json),
    Column("stop_name", String(200)),
    Column("stop_address", Text),
    Column("stop_city", String(120)),
    Column("stop_postal_code", String(20)),
    Column("lat", Float),
    Column("lng", Float),
    Column("window_start", UTCDateTime),
    Column("window_end", UTCDateTime),
    Column("service_time_s", Integer, nullable=False),
    Column("weight_g", BigInteger, nullable=False),
    Column("package_count", Integer, nullable=False),
    Column("skills", Json, nullable=False),
    Column("note", Text),
    Column("delivery_instruction", Text),
    Column("references", Json, nullable=False),
    Column("cod_minor", BigInteger),
    Column("language", String(10)),
    Column("photo_required", Boolean, nullable=False, server_default=false()),
    Column("pin_required", Boolean, nullable=False, server_default=false()),
    Column("minimum_age", Integer),
    Column("price", Json),
    Column("search", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("attempt_limit", Integer),
    Column("replaces_order_id", BigInteger),
    Column("replaced_by_order_id", BigInteger),
    Column("partner_offer_id", BigInteger),
    Column("request_digest", LargeBinary(32)),
    Column("counted_day", Date, info=VOLATILE),  # nullable: `haulier analytics rebuild` sets those of earlier versions
    Column("counted_hour", SmallInteger, info=VOLATILE),  # null for open orders
    Column("on_time", Boolean),
    Column("rating", SmallInteger),
    Column("rating_comment", String(RATING_COMMENT_MAX)),
    Column("rated_at", UTCDateTime),
    custom_fields_column(ResourceKind.ORDER),
    Column("goods_at", Json),
    Column("goods_value_minor", BigInteger),
    Column("goods_currency", String(3)),
    Column("show_items_to_recipient", Boolean, nullable=False, server_default=false()),
    Column("stock_short", Boolean, nullable=False, server_default=false()),
    Column("pickup_depot_id", BigInteger),
    Column("pickup_ready_at", UTCDateTime),
    Column("pickup_until", Date),
    Column("created_by", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    # The reference precedes the customer: a search by reference covers all customers.
    UniqueConstraint("client_id", "order_ref", "customer_id"),
    Index(
        "uq_delivery_order_own_ref",
        "client_id",
        "order_ref",
        unique=True,
        sqlite_where=text("customer_id IS NULL"),
        postgresql_where=text("customer_id IS NULL"),
    ),
    UniqueConstraint("client_id", "tracking_number"),
    Index("ix_delivery_order_status", "client_id", "status", "id"),
    _index_of_given("ix_delivery_order_scheduled", "scheduled_date"),
    _index_of_given("ix_delivery_order_customer", "customer_id"),
    _index_of_given("ix_delivery_order_contractor", "contractor_id"),
    _index_of_given("ix_delivery_order_driver", "driver_id"),
    _index_of_given("ix_delivery_order_counted", "counted_day"),
    _index_of_given("ix_delivery_order_rated", "rated_at"),
    _index_of_given("ix_delivery_order_pickup", "pickup_depot_id"),
    Index("ix_delivery_order_newest", "client_id", "id"),
)
packages = tenant_table(
    "order_package",
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("tracking_number", String(64), nullable=False, info=VOLATILE),
    Column("weight_g", Integer, nullable=False),
    Column("length_mm", Integer),
    Column("width_mm", Integer),
    Column("height_mm", Integer),
    Column("quantity", Integer, nullable=False),
    Column("description", String(200)),
    Column("outcome", String(20)),
    custom_fields_column(ResourceKind.PACKAGE),
    UniqueConstraint("client_id", "tracking_number"),
)
items = tenant_table(
    "order_item",
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("sku", String(SKU_MAX)),
    Column("product_id", BigInteger),
    Column("description", String(DESCRIPTION_MAX)),
    Column("quantity", Integer, nullable=False),
    Column("unit_price_minor", BigInteger),
    Column("currency", String(3)),
    Column("weight_g", Integer),
    Column("hs_code", String(HS_CODE_MAX)),
    Column("country_of_origin", String(2)),
)
changes = tenant_table(
    "order_change",
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("step", String(20), nullable=False),
    Column("status", Integer, nullable=False, info={"enum": OrderStatus}),
    Column("at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("by_user_id", BigInteger),
    Column("reason", String(255)),
    Column("failed_day", Date, info=VOLATILE),
    Column("failed_hour", SmallInteger, info=VOLATILE),
    Column("failure", String(60)),
    Column("driver_id", BigInteger),
    Column("contractor_id", BigInteger),
    Index(
        "ix_order_change_failed",
        "client_id",
        "failed_day",
        sqlite_where=text("failed_day IS NOT NULL"),
        postgresql_where=text("failed_day IS NOT NULL"),
    ),
)
"""A failed attempt has its day and hour in the business's time zone, its reason and its driver, as the sums count it."""
piece_exceptions = tenant_table(
    "order_piece_exception",
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("package_id", BigInteger, nullable=False),
    Column("piece", String(64), nullable=False, info=VOLATILE),
    Column("kind", String(20), nullable=False),
    Column("owner_id", BigInteger),
    Column("resolution", String(20)),
    Column("note", String(REASON_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("resolved_at", UTCDateTime),
    Column("resolved_by", BigInteger),
    UniqueConstraint("client_id", "package_id", "kind"),
    Index("ix_order_piece_exception_resolved", "client_id", "resolved_at", "id"),
)
plain_columns(piece_exceptions, "piece", "kind", "resolution", "note")
