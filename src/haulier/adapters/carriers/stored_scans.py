"""Parser for stored scans that were unreadable when polled."""

from collections.abc import Mapping
from typing import Any

from haulier.adapters.carriers.canada_post.answers import read_event
from haulier.adapters.carriers.scans import carrier_events
from haulier.contexts.otep.public import CarrierScanForm, scan_forms
from haulier.contexts.shipping.ports import CarrierEvent

_FORMS: Mapping[str, CarrierScanForm] = {
    form.sender: form for form in (scan_forms.UPS_POLL, scan_forms.EASYPOST, scan_forms.SHIPENGINE)
}


class CarrierScanReader:
    def read_scan(self, sender: str, document: Mapping[str, Any]) -> CarrierEvent | None:
        """Return the scan by the rules of the carrier that sent it.

        Returns None if the sender is unknown or the time is still unreadable.
        """
        if sender == "canada_post":
            return read_event(document)
        form = _FORMS.get(sender)
        events = carrier_events(form, [dict(document)]) if form else []
        return next((event for event in events if isinstance(event, CarrierEvent)), None)
