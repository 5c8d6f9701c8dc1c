"""The examples of tracking fit its operations."""

from tests.contexts.tracking.ingest import examples as ingest
from tests.contexts.tracking.providers import examples as providers
from tests.contexts.tracking.timeline_queries import examples as timeline_queries
from tests.contexts.tracking.timelines import examples as timelines

from haulier.app import registry
from haulier.contexts.otep.timeline.contract import Source
from haulier.contexts.tracking.ingest.rules.epcis_document import read_epcis
from haulier.contexts.tracking.ingest.rules.native_document import read_native
from haulier.contexts.tracking.ingest.rules.strict_json import read_json

EXAMPLES = ingest.EXAMPLES | providers.EXAMPLES | timeline_queries.EXAMPLES | timelines.EXAMPLES


def test_every_operation_has_an_example_that_its_request_accepts() -> None:
    operations = {
        operation.name: operation
        for operation in registry()
        if operation.handler.__module__.startswith("haulier.contexts.tracking.")
    }
    assert operations.keys() == EXAMPLES.keys()
    for name, example in EXAMPLES.items():
        values = {field: 1 if value == f"${field}" else value for field, value in example.items()}
        operations[name].request.model_validate(values)


def test_the_documents_of_the_examples_are_accepted() -> None:
    native, epcis = (str(EXAMPLES[name]["document"]).encode() for name in ("ingest_timelines", "ingest_epcis"))
    assert read_native(read_json(native)).refused == {}
    assert read_epcis(read_json(epcis), Source(type="carrier")).refused == {}
