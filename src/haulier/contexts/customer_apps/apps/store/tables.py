"""The tables of apps.

# Why: sessions and registrations are read together with their app, in one statement.
"""

from sqlalchemy import Boolean, Column, Integer, String, UniqueConstraint

from haulier.contexts.customer_apps.apps.rules.versions import VERSION_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import Id, Json, UTCDateTime, directory_table, shared_table, tenant_table

apps = shared_table(
    "platform_app",
    Column("code", String(50), nullable=False, unique=True),
    Column("name", String(120), nullable=False),
    Column("type", String(20), nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("roles", Json, nullable=False),
    Column("idp_issuer", String(255)),
    Column("server_client_id", String(255)),
    Column("active", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
)
"""The platform's apps.

# Why: only the operator sets the identity provider that an app trusts. A client that could set it could sign in as anyone.
"""
plain_columns(apps, "code", "name", "type", "roles", "idp_issuer", "server_client_id")

assignments = directory_table(
    "platform_app_client",
    Column("app_id", Id, nullable=False, index=True),
    Column("enabled", Boolean, nullable=False),
    Column("methods", Json, nullable=False),
    Column("capabilities", Json, nullable=False),
    Column("quick_actions", Json, nullable=False),
    Column("hidden_quick_actions", Json, nullable=False),
    Column("default_phone_region", String(2), nullable=False),
    Column("requires_approval", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "app_id"),
    why="the path names an app and a client by their codes, and nobody has signed in yet",
)
"""An app as one client offers it. `version` is the `configuration_version` of the bootstrap."""
plain_columns(assignments, "methods", "capabilities", "quick_actions", "hidden_quick_actions", "default_phone_region")

policies = tenant_table(
    "app_version_policy",
    Column("app_id", Id, nullable=False),
    Column("platform", String(10), nullable=False),
    Column("minimum", String(VERSION_MAX)),
    Column("recommended", String(VERSION_MAX)),
    Column("blocked", Json, nullable=False),
    Column("store_url", String(500)),
    UniqueConstraint("client_id", "app_id", "platform"),
)
plain_columns(policies, "platform", "minimum", "recommended", "blocked", "store_url")
