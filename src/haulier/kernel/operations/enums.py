"""The closed list of words that a declaration of an operation may use."""

from enum import StrEnum


class Account(StrEnum):
    """The kinds of account that may call. `PUBLIC` is anyone, also without a token."""

    PUBLIC = "public"
    CLIENT_ADMIN = "client_admin"
    EMPLOYEE = "employee"
    CONTRACTOR = "contractor"
    DRIVER = "driver"
    CUSTOMER = "customer"
    PROVIDER = "provider"


OFFICE = frozenset({Account.CLIENT_ADMIN, Account.EMPLOYEE})
"""People who work for the client in the office."""

STAFF = OFFICE | {Account.CONTRACTOR, Account.DRIVER}
"""Everybody who moves parcels for the client."""

SIGNED_IN = STAFF | {Account.CUSTOMER}
"""Everybody with a user account."""


class Effect(StrEnum):
    """Whether an operation changes anything."""

    READ = "read"
    WRITE = "write"


class Risk(StrEnum):
    """How much harm a mistaken call can do. Independent of the effect and of the HTTP method."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Scope(StrEnum):
    """What a token may be used for. Names are the interface's where it has one."""

    ACCOUNT_READ = "account:read"
    ACCOUNT_WRITE = "account:write"
    ORDERS_READ = "orders:read"
    ORDERS_WRITE = "orders:write"
    ROUTES_READ = "routes:read"
    ROUTES_WRITE = "routes:write"
    DRIVERS_READ = "drivers:read"
    DRIVERS_WRITE = "drivers:write"
    TRACKING_READ = "tracking:read"
    TRACKING_WRITE = "tracking:write"
    LABELS_READ = "labels:read"
    LABELS_WRITE = "labels:write"
    ADDRESS_READ = "address:read"
    ADDRESS_WRITE = "address:write"
    ANALYTICS_READ = "analytics:read"
    APPROVALS_READ = "approvals:read"
    APPROVALS_WRITE = "approvals:write"
    WMS_READ = "wms:read"
    WMS_WRITE = "wms:write"
    DATASETS_READ = "datasets:read"
    ALLIANCE_READ = "alliance:read"
    UNIORDER_READ = "uniorder:read"
    UNIORDER_WRITE = "uniorder:write"
    CUSTOMER_SHIPPING_READ = "customer_shipping:read"
    CUSTOMER_SHIPPING_WRITE = "customer_shipping:write"
    STORAGE_READ = "storage:read"
    STORAGE_WRITE = "storage:write"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"


ALL_SCOPES = frozenset(Scope)


class Module(StrEnum):
    """Parts of the platform that a client has or has not; a call into one that is off answers 403."""

    BROKER_ORDER_ASSIGNMENTS = "broker_order_assignments"


class Feature(StrEnum):
    """Opt-in families; a call into one that is off answers 409 with `feature_enabled: false`."""

    ORDER_CHAT = "order_chat"
    OPERATIONS_AI_AGENT = "operations_ai_agent"
    SMS_MARKETING = "sms_marketing"


class PriceFamily(StrEnum):
    """Order families whose prices a client may hide from a customer account."""

    LOCAL_DELIVERY = "local_delivery"
    LABEL_SERVICE = "label_service"
    SHIPPING_SERVICE = "shipping_service"
    LTL_SERVICE = "ltl_service"
    STORAGE_SERVICES = "storage_services"
    MOVING_SERVICES = "moving_services"
    DEVICE_ORDERS = "device_orders"


class McpServer(StrEnum):
    """The two MCP servers."""

    USER = "user"
    DEVELOPER = "developer"
