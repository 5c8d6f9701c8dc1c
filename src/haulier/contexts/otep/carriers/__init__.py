"""Status vocabularies of carriers and aggregators, mapped to the protocol's codes.

One table (TOML) per carrier, no code per carrier. Three rules apply to all of them:

- A code without a certain counterpart takes the generic code of its phase; nothing finer is invented.
- A code is terminal only when the parcel's journey is over for certain. A refused or returning parcel still travels, so
  a refusal is `delivery_failed` because `refused`, a return under way is `delivery_failed`, and only the handover to the
  sender is `returned`.
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
