"""The closed vocabulary of operation declarations."""

from enum import StrEnum


class Account(StrEnum):
    """Account kinds of callers. `PUBLIC` is anyone, including callers without a token."""

    PUBLIC = "public"
    CLIENT_ADMIN = "client_admin"
    EMPLOYEE = "employee"
    CONTRACTOR = "contractor"
    DRIVER = "driver"
    CUSTOMER = "customer"
    PROVIDER = "provider"


OFFICE = frozenset({Account.CLIENT_ADMIN, Account.EMPLOYEE})
"""Office staff of the client."""

STAFF = OFFICE | {Account.CONTRACTOR, Account.DRIVER}
"""All staff of the client, including contractors and drivers."""

SIGNED_IN = STAFF | {Account.CUSTOMER}
"""All accounts with a user."""


class Effect(StrEnum):
    """Effect of an operation on data."""

    READ = "read"
    WRITE = "write"


class Risk(StrEnum):
    """Harm that a mistaken call can do. Independent of the effect and the HTTP method."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def is_at_least(self, other: "Risk") -> bool:
        """Return True if this risk is at least as high as the other."""
        risks = list(Risk)
        return risks.index(self) >= risks.index(other)


class Scope(StrEnum):
    """Permissions of a token, named as in the published interface where it has them."""

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
    DATASETS_WRITE = "datasets:write"
    ALLIANCE_READ = "alliance:read"
    UNIORDER_READ = "uniorder:read"
    UNIORDER_WRITE = "uniorder:write"
    CUSTOMER_SHIPPING_READ = "customer_shipping:read"
    CUSTOMER_SHIPPING_WRITE = "customer_shipping:write"
    STORAGE_READ = "storage:read"
    STORAGE_WRITE = "storage:write"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"
    BILLING_WRITE = "billing:write"
    SMS_MARKETING_READ = "sms_marketing:read"
    SMS_MARKETING_WRITE = "sms_marketing:write"


ALL_SCOPES = frozenset(Scope)


class Area(StrEnum):
    """Areas that group operations, as OpenAPI tags.

    A family declares its own: `AREA = Area.USER`.

    Names and order are those of the published interface, with or without operations.
    """

    BROKER_ORDER_ASSIGNMENTS = "Broker Order Assignments"
    USER = "User"
    DRIVER = "Driver"
    CLIENT = "Client"
    SHIPPING = "Shipping"
    ADDRESS_BOOK = "AddressBook"
    DRIVER_INFO = "DriverInfo"
    SKILLS = "Skills"
    RETURN_REASONS = "ReturnReasons"
    LABEL_SERVICE = "LabelService"
    OCR = "OCR"
    POI = "POI"
    DATASET = "Dataset"
    ALLIANCE = "Alliance"
    TRACKING = "Tracking"
    CUSTOMER = "Customer"
    THIRD_PARTY_DELIVERY = "ThirdPartyDelivery"
    WAREHOUSE_TRANSFER = "Warehouse Transfer"
    INSTANT_RIDER = "InstantRider"
    OTEP = "OTEP"
    CUSTOM_MAPS = "Custom Maps"
    LOADING_PLANNER = "Loading Planner"
    PACKING_PLANS = "Packing Plans"
    SMART_LOCKER = "Smart Locker"
    WEBHOOKS = "Webhooks"
    WAREHOUSE_MOBILE = "Warehouse Mobile"
    PLATFORM_APPS = "Platform Apps"
    DISPATCH = "Dispatch"
    DEVICE_OPERATIONS = "Device Operations"
    RESERVATIONS = "Reservations"
    DRIVER_ROUTE_BOARD = "Driver Route Board"
    LOCKER_RESALE = "Locker Resale"
    LUGGAGE_RELAY = "Luggage Relay"
    LOCKER_STORAGE = "Locker Storage"
    CONSOLIDATION = "Consolidation"
    ORDER_CHAT = "Order Chat"
    OPERATIONS_AI_AGENT = "Operations AI Agent"
    SMS_MARKETING = "SMS Marketing"
    DEVICE_ORDERS = "Device Orders"
    DOCUMENTS = "Documents"
    FLEETS = "Fleets"
    LOCKER_SHOP = "Locker Shop"

    # Additional areas that the published interface does not have:
    # Local delivery orders and their quotes. The interface has paths under /v1/orders without an area.
    ORDERS = "Orders"
    # Warehouses, products and stock. The interface has only tools and a path under /v1/wms.
    WAREHOUSE = "Warehouse"
    # Writes that wait for approval. The interface has only tools.
    APPROVALS = "Approvals"
    # The audit trail. The interface has only a tool.
    AUDIT = "Audit"
    # Personal data: retention, exports and erasure.
    PRIVACY = "Privacy"
    # Customer credit, the ledger and payments. The interface has only a tool.
    BILLING = "Billing"
    # Daily aggregates and reports on them. The interface has only tools.
    ANALYTICS = "Analytics"
    # Connected agents and their tokens.
    OAUTH = "OAuth"
    # The registry itself. The interface has only the tools of the developer server.
    DEVELOPER_PORTAL = "Developer Portal"


class Module(StrEnum):
    """Modules of a business. A call to a disabled module gets 403."""

    BROKER_ORDER_ASSIGNMENTS = "broker_order_assignments"
    CONTRACTORS = "contractors"
    SHIPPING = "shipping"
    WAREHOUSE = "warehouse"
    PACKING = "packing"
    STORAGE = "storage"
    LOCKERS = "lockers"
    LOCKER_COMMERCE = "locker_commerce"
    CHAT = "chat"
    AI_AGENT = "ai_agent"
    ALLIANCES = "alliances"
    DATASETS = "datasets"


PRODUCT_MODULES = frozenset(Module) - {Module.BROKER_ORDER_ASSIGNMENTS}
"""Modules that every business has until an admin disables them; their packages set `MODULE`."""
PART_OF = {Module.PACKING: Module.WAREHOUSE, Module.LOCKER_COMMERCE: Module.LOCKERS}
"""Modules that extend another one: without it, they are disabled, too."""


class Feature(StrEnum):
    """Opt-in families.

    A call to a disabled one gets 409 with `feature_enabled: false`.
    """

    ORDER_CHAT = "order_chat"
    OPERATIONS_AI_AGENT = "operations_ai_agent"
    SMS_MARKETING = "sms_marketing"


class PriceFamily(StrEnum):
    """Order families whose prices can be hidden from a customer account."""

    LOCAL_DELIVERY = "local_delivery"
    LABEL_SERVICE = "label_service"
    SHIPPING_SERVICE = "shipping_service"
    LTL_SERVICE = "ltl_service"
    STORAGE_SERVICES = "storage_services"
    MOVING_SERVICES = "moving_services"
    DEVICE_ORDERS = "device_orders"


class McpServer(StrEnum):
    """The MCP servers."""

    USER = "user"
    DEVELOPER = "developer"
