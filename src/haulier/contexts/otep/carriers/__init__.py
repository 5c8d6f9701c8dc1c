"""The status vocabularies of carriers and aggregators on the way in: what their codes mean in the protocol's words.

One table (TOML) a carrier, no code a carrier. Three rules hold in all of them:

- A code without a sure counterpart takes the generic code of its phase; nothing finer is invented.
- A code is terminal only when the parcel's journey is over for certain. A parcel that was refused or is sent back still
  travels, so a refusal is `delivery_failed` because `refused`, a return under way is `delivery_failed`, and only the
  hand-over to the sender is `returned`.
- Handed to a shop, a locker or a post office is `ready_for_collection`: the recipient does not have it yet.
"""

from haulier.contexts.otep.carriers.rules import scan_forms
from haulier.contexts.otep.carriers.rules.scans import (
    CarrierScan,
    CarrierScanForm,
    first_text,
    join_codes,
    read_scans,
    scan_id,
    text_at,
)
from haulier.contexts.otep.carriers.rules.status_changes import event_of_status_change
from haulier.contexts.otep.carriers.rules.translation import TranslatedStatus, known_carriers, translate_status
from haulier.contexts.otep.carriers.serializers import carriers_page

__all__ = [
    "CarrierScan",
    "CarrierScanForm",
    "TranslatedStatus",
    "carriers_page",
    "event_of_status_change",
    "first_text",
    "join_codes",
    "known_carriers",
    "read_scans",
    "scan_forms",
    "scan_id",
    "text_at",
    "translate_status",
]
