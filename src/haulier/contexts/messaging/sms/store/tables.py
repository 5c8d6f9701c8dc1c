"""The table of text messages.

# Why: customer apps join it to read in one statement, on every call of an app, whether its client can send text messages.
"""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, String, Text, UniqueConstraint

from haulier.contexts.messaging.sms.rules import FAULT_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import VOLATILE, UTCDateTime, directory_table


class SmsAccountRow(
    Record,
    table="sms_account",
    items=[UniqueConstraint("client_id")],
    kind=directory_table,
    why="read with the app that a path names, before anybody has signed in",
):
    """The account of a client with a provider of text messages.

    One a client. The secret is encrypted; it is never part of an answer, an e-mail, a log or the audit trail. `keeper`
    is the process that hears what its message centre delivers, until `kept_until` unless it says so again.
    """

    provider: Annotated[str, String(20)]
    account: Annotated[str, String(64)]
    sender: Annotated[str, String(64)]
    sealed_secret: Annotated[str, Text]
    set_by: Reference | None
    set_at: datetime
    worked_at: datetime | None
    failed_at: datetime | None
    fault: Annotated[str, String(FAULT_MAX)] | None
    keeper: Annotated[str | None, Column("keeper", String(32), info=VOLATILE)]
    kept_until: Annotated[datetime | None, Column("kept_until", UTCDateTime, info=VOLATILE)]


sms_accounts = SmsAccountRow.table
plain_columns(sms_accounts, "provider", "account", "sender", "sealed_secret", "fault", "keeper")
