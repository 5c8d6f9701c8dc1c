"""Tables of accounts.

Users and tokens belong to a client and are read through the tenant filter. It is omitted only if the caller is not
known yet: at sign-in (by email address) and in a token lookup (by digest).

Stores of other families and contexts may import this module and no other of this store. A session, a grant and a
proposal are read together with their user in one statement; two statements would each cost a round trip on every call
of an app or an agent.
"""

from sqlalchemy import Boolean, Column, Integer, LargeBinary, String, UniqueConstraint

from haulier.contexts.custom_fields.public import ResourceKind, custom_fields_column, erased_custom_fields
from haulier.contexts.identity.accounts.rules import CUSTOMER_CODE_MAX, NOTE_MAX
from haulier.contexts.identity.fields import EMAIL_MAX, NAME_MAX
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.tables import Id, Json, UTCDateTime, directory_table, notify_writes, shared_table
from haulier.kernel.principal import CALLERS_CHANNEL

DEVICE_MAX = 191
ERASED_DOMAIN = "erased.invalid"
"""No mail ever goes there (RFC 2606, section 2)."""

clients = shared_table(
    "client",
    Column("code", String(50), nullable=False, unique=True),
    Column("name", String(NAME_MAX), nullable=False),
    Column("time_zone", String(64), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("country", String(2)),
    Column("modules", Json, nullable=False),
    Column("features", Json, nullable=False),
    Column("settings", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    everywhere=True,
)
plain_columns(clients, "code", "name", "time_zone", "currency", "country", "modules", "features", "settings")

users = directory_table(
    "user_account",
    Column("email", String(EMAIL_MAX), nullable=False, unique=True),
    Column("name", String(NAME_MAX), nullable=False),
    Column("account", String(20), nullable=False),
    Column("password_hash", String(255)),
    Column("active", Boolean, nullable=False),
    Column("hidden_prices", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    why="sign-in is by e-mail alone",
)
"""`email` is lower-case and unique on the platform, because sign-in names no client."""
personal_data(
    users,
    RecordKind.USERS,
    by={"id": PersonKey.USER},
    gives={"email": PersonKey.EMAIL, "name": PersonKey.NAME},
    erased={"email": lambda row, keys: f"erased-{row.id}@{ERASED_DOMAIN}", "name": ERASED, "password_hash": None},
    secret=frozenset({"password_hash"}),
    plain=("account", "hidden_prices"),
)

tokens = directory_table(
    "access_token",
    Column("user_id", Id, nullable=False, index=True),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("kind", String(10), nullable=False),
    Column("name", String(DEVICE_MAX)),
    Column("scopes", Json),
    Column("issued_by", Id),
    Column("parent_id", Id, index=True),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("revoked_at", UTCDateTime),
    Column("last_used_at", UTCDateTime),
    why="the token says who calls",
)
"""Tokens, by digest. `scopes` is null for a session: it has all of its account. `parent_id` is the API token that
issued this one, which ends no later than its parent; null for a signed-in user."""
personal_data(
    tokens,
    RecordKind.SIGN_INS,
    by={"user_id": PersonKey.USER},
    erased={"name": None},
    plain=("token_sha256", "kind", "scopes"),
)

failures = shared_table(
    "failed_sign_in",
    Column("what_sha256", String(64), nullable=False),
    Column("times", Integer, nullable=False),
    Column("last_at", UTCDateTime, nullable=False, index=True),
    UniqueConstraint("what_sha256"),
)
"""Failed sign-ins in a row for any address: per email address, and per address and network."""
plain_columns(failures, "what_sha256")

members = directory_table(
    "member",
    Column("user_id", Id, nullable=False, unique=True),
    Column("scopes", Json),
    Column("role", String(20)),
    Column("language", String(10)),
    Column("time_zone", String(64)),
    Column("phone", String(20)),
    Column("customer_code", String(CUSTOMER_CODE_MAX)),
    Column("note", String(NOTE_MAX)),
    custom_fields_column(ResourceKind.CUSTOMER, "user_id"),
    UniqueConstraint("client_id", "customer_code"),
    why="read with the bearer of a token, in one statement",
)
"""Member data of users beyond the account. `scopes` is null if nothing is withheld."""
personal_data(
    members,
    RecordKind.USERS,
    by={"user_id": PersonKey.USER},
    gives={"phone": PersonKey.PHONE},
    erased={"phone": None, "note": None, "custom_fields": erased_custom_fields},
    plain=("scopes", "role", "language", "time_zone", "customer_code"),
)

# These tables decide what callers may do, and callers are cached by token (`kernel/known_callers.py`). Nothing is
# cached before the first row of a client, a user or a token; member data can be new for an existing user.
for _table in (clients, users, tokens):
    notify_writes(_table, CALLERS_CHANNEL, new_rows=False, silent_columns=("last_used_at",))
notify_writes(members, CALLERS_CHANNEL)
