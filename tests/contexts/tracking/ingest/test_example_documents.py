"""The documents of the examples are accepted."""

from tests.contexts.tracking.ingest.examples import EXAMPLES

from haulier.contexts.otep.timeline.contract import Source
from haulier.contexts.tracking.ingest.rules.epcis_events import read_epcis
from haulier.contexts.tracking.ingest.rules.native_document import read_native
from haulier.contexts.tracking.ingest.rules.parsed import read_json


def test_the_example_documents_are_accepted() -> None:
    native, epcis = (str(EXAMPLES[name]["document"]).encode() for name in ("ingest_timelines", "ingest_epcis"))
    assert read_native(read_json(native), Source(type="carrier")).refused == {}
    assert read_epcis(read_json(epcis), Source(type="carrier")).refused == {}
