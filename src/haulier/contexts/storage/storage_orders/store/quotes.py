"""Prices that were said, for as long as they hold."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, String

from haulier.contexts.storage.storage_orders.contract.tariffs import CODE_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import NAME_MAX


class StorageQuoteRow(Record, table="storage_quote", items=[Index("ix_storage_quote_created", "created_at")]):
    """A price for a wish, with the tariff that it was made with."""

    customer_id: Reference
    service_code: Annotated[str, String(CODE_MAX)]
    service_name: Annotated[str, String(NAME_MAX)]
    wish: dict[str, Any]
    terms: dict[str, Any]
    price_minor: BigInt
    created_at: datetime
    expires_at: datetime


quotes = StorageQuoteRow.table
personal_data(quotes, RecordKind.STORAGE_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.STORAGE_QUOTES, quotes.c.created_at, default_days=7)
