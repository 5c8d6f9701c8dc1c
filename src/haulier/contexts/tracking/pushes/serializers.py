"""Carrier messages for staff."""

from typing import Any

from msgspec import convert

from haulier.contexts.tracking.ingest.contract import IngestRefusal
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason
from haulier.contexts.tracking.ingest.serializers import refusal_answer
from haulier.contexts.tracking.pushes.contract import CarrierPushMessage, CarrierPushMessageDetail
from haulier.contexts.tracking.pushes.store import CarrierMessageRow, ListedMessageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def refusal_answers(call: Call, reasons: list[dict[str, Any]]) -> list[IngestRefusal]:
    """Return stored reasons in the caller's language."""
    return [refusal_answer(call, convert(reason, RefusalReason)) for reason in reasons]


def serialize_message(call: Call, row: ListedMessageRow) -> CarrierPushMessage:
    """Return a message without its content."""
    return record(CarrierPushMessage, row, reasons=refusal_answers(call, row.reasons))


def serialize_message_detail(call: Call, row: CarrierMessageRow) -> CarrierPushMessageDetail:
    """Return a message with its content."""
    return record(CarrierPushMessageDetail, row, reasons=refusal_answers(call, row.reasons))
