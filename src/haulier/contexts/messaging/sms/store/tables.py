"""The table of text messages.

# Why: customer apps join it to read in one statement, on every call of an app, whether its client can send text messages.
"""

from sqlalchemy import Column, String, Text, UniqueConstraint

from haulier.contexts.messaging.sms.rules import FAULT_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, directory_table

sms_accounts = directory_table(
    "sms_account",
    Column("provider", String(20), nullable=False),
    Column("account", String(64), nullable=False),
    Column("sender", String(64), nullable=False),
    Column("sealed_secret", Text, nullable=False),
    Column("set_by", Id),
    Column("set_at", UTCDateTime, nullable=False),
    Column("worked_at", UTCDateTime),
    Column("failed_at", UTCDateTime),
    Column("fault", String(FAULT_MAX)),
    Column("keeper", String(32), info=VOLATILE),
    Column("kept_until", UTCDateTime, info=VOLATILE),
    UniqueConstraint("client_id"),
    why="read with the app that a path names, before anybody has signed in",
)
"""One a client. The secret is encrypted; it is never part of an answer, an e-mail, a log or the audit trail.
`keeper` is the process that hears what its message centre delivers, until `kept_until` unless it says so again."""
plain_columns(sms_accounts, "provider", "account", "sender", "sealed_secret", "fault", "keeper")
