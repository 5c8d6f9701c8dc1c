"""The tables of sums by day."""

from sqlalchemy import BigInteger, Column, Date, Index, Integer, String, UniqueConstraint

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import Id, tenant_table

STATUS_MAX = 20
SUM_REASON_MAX = 60


def _word_columns() -> tuple[Column[str], ...]:
    return (
        Column("measure", String(10), nullable=False),
        Column("status", String(STATUS_MAX), nullable=False),
        Column("reason", String(SUM_REASON_MAX), nullable=False),
        Column("currency", String(3), nullable=False),
    )


def _amount_columns() -> tuple[Column[int], ...]:
    return (
        Column("count", Integer, nullable=False),
        Column("judged", Integer, nullable=False),
        Column("on_time", Integer, nullable=False),
        Column("minor", BigInteger, nullable=False),
    )


sum_entries = tenant_table(
    "sum_entry",
    Column("day", Date, nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("driver_id", Id, nullable=False),
    Column("contractor_id", Id, nullable=False),
    *_word_columns(),
    *_amount_columns(),
    Index("ix_sum_entry_oldest", "client_id", "id"),
)
"""What changes added and is not in the daily sums yet. Rows are inserted, and deleted when they are folded."""
daily_sums = tenant_table(
    "daily_sum",
    Column("dimension", String(10), nullable=False),
    Column("day", Date, nullable=False),
    Column("subject_id", Id, nullable=False),
    *_word_columns(),
    *_amount_columns(),
    UniqueConstraint(
        "client_id",
        "dimension",
        "day",
        "subject_id",
        "measure",
        "status",
        "reason",
        "currency",
        name="uq_daily_sum_words",
    ),
    Index("ix_daily_sum_subject", "client_id", "dimension", "subject_id", "day"),
)
plain_columns(sum_entries, "measure", "status", "reason", "currency")
plain_columns(daily_sums, "dimension", "measure", "status", "reason", "currency")
# Why derived: they repeat what orders and pay say, so a rehearsal does not show them beside those.
for _table in (sum_entries, daily_sums):
    _table.info["derived"] = True
