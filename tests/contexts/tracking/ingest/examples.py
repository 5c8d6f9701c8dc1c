"""Example requests of operations for pushed events; documents are raw texts."""

import json

from tests.contexts.tracking.ingest.requests import a_document, a_timeline, an_event, an_object_event

EXAMPLES: dict[str, dict[str, object]] = {
    "ingest_timelines": {
        "document": json.dumps(a_timeline(an_event())),
        "content_type": "application/json",
        "on_error": "proceed",
    },
    "ingest_epcis": {
        "document": json.dumps(a_document(an_object_event())),
        "content_type": "application/ld+json",
        "on_error": "rollback",
    },
    "entrust_parcels": {"tracking_numbers": ["HL7XK2M9QA"], "carrier": "Swift Post"},
}
