"""Label scans as answers show them."""

import msgspec

from haulier.contexts.shipping.label_parsing.contract import LabelAddress, LabelBars, LabelField, LabelParse
from haulier.contexts.shipping.label_parsing.rules.fields import REVIEW_BELOW, LabelEngine, list_uncertain
from haulier.contexts.shipping.label_parsing.store import LabelParseRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def label_parse(call: Call, row: LabelParseRow) -> LabelParse:
    """Return a label scan as callers see it."""
    reading = row.reading
    return record(
        LabelParse,
        row,
        notice=call.translate("label_by_barcodes_alone") if row.engine == LabelEngine.BARCODES else None,
        review_below=REVIEW_BELOW,
        missing=reading.get("missing", []),
        uncertain=list_uncertain((field["name"], field["confidence"]) for field in reading.get("fields", ())),
        fields=msgspec.convert(reading.get("fields", []), list[LabelField]),
        addresses=msgspec.convert(reading.get("addresses", []), list[LabelAddress]),
        barcodes=msgspec.convert(reading.get("barcodes", []), list[LabelBars]),
        corrected=sorted(row.corrections),
        created_at=call.local_time(row.created_at),
        finished_at=call.local_time(row.finished_at),
    )
