"""What events hold of people: proofs, exact places, texts of their sources, and who delivered in the client's name.

What happened and when stays, and so does what the public may see of it: the timeline without the person.
"""

from typing import Any

import msgspec

from haulier.contexts.tracking.timelines.store.tables import events
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, personal_data

KEPT_OF_A_PLACE = ("city", "region", "country", "unlocode")
COMPANY_SOURCES = ("carrier", "partner")
FREE_TEXTS = ("description", "extensions", "raw_status")


def _without_contacts(row: Any, keys: PersonKeys) -> str:
    """An event without its source's texts, its street and its reference."""
    document = {name: value for name, value in msgspec.json.decode(row.document).items() if name not in FREE_TEXTS}
    if "location" in document:
        place = document["location"]
        document["location"] = {name: place[name] for name in KEPT_OF_A_PLACE if name in place}
    if "incident_reason" in document:
        document["incident_reason"] = {"code": document["incident_reason"]["code"]}
    if "source" in document:
        kept = ("type", "name") if document["source"].get("type") in COMPANY_SOURCES else ("type",)
        document["source"] = {name: document["source"][name] for name in kept if name in document["source"]}
    return _same_or_encoded(row.document, document)


def _without_proof(row: Any, keys: PersonKeys) -> str:
    document = msgspec.json.decode(row.document)
    document.pop("pod", None)
    if "outcome" in document:
        document["outcome"] = {
            name: fact for name, fact in document["outcome"].items() if name not in ("name", "left_at")
        }
    return _same_or_encoded(row.document, document)


def _same_or_encoded(text: str, document: dict[str, Any]) -> str:
    """The text as it was where nothing was taken out, so that the row counts as unchanged."""
    return text if msgspec.json.decode(text) == document else msgspec.json.encode(document).decode()


personal_data(
    events,
    RecordKind.ORDER_CONTACTS,
    by={"subject_id": PersonKey.PARCEL},
    erased={"document": _without_contacts},
    plain=("event_id", "status_code", "shown"),
)
personal_data(events, RecordKind.PROOFS, by={"subject_id": PersonKey.PARCEL}, erased={"document": _without_proof})
