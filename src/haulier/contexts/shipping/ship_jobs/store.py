"""Table of ship jobs."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import String

from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.records import Record, Reference


class ShipJobRow(Record, table="order_ship_job"):
    """A job that ships orders.

    `outcomes` has a document for each processed order, in the order of `order_ids`.
    """

    order_ids: list[int]
    terms: dict[str, Any]
    outcomes: list[dict[str, Any]]
    created_by: Reference | None
    account: Annotated[str, String(20)]
    created_at: datetime
    finished_at: datetime | None


jobs = ShipJobRow.table
plain_columns(jobs, "order_ids", "terms", "outcomes", "account")
retained(RecordKind.ORDER_IMPORTS, jobs.c.finished_at, default_days=90, minimum_days=7)
