"""Example requests of operations for pushed events; documents are raw texts."""

import json

from tests.contexts.tracking.ingest.requests import make_document, make_event, make_object_event, make_timeline

EXAMPLES: dict[str, dict[str, object]] = {
    "ingest_timelines": {
        "document": json.dumps(make_timeline(make_event())),
        "content_type": "application/json",
        "on_error": "proceed",
    },
    "ingest_epcis": {
        "document": json.dumps(make_document(make_object_event())),
        "content_type": "application/ld+json",
        "on_error": "rollback",
    },
    "entrust_parcels": {"tracking_numbers": ["HL7XK2M9QA"], "carrier": "Swift Post"},
}
