"""Operations of sample data."""

from haulier.contexts.control_tower.sample_data.actions import load_samples, remove_samples
from haulier.contexts.control_tower.sample_data.contract import SampleDataLoaded, SampleDataRemoved
from haulier.contexts.control_tower.sample_data.rules import SAMPLE_DATA_NEEDS_EMPTY
from haulier.contexts.control_tower.test_mode.rules import TEST_MODE_ONLY
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import SCOPES_EXCEEDED

PATH = "/v1/test/sample-data"


@writes(
    "load_sample_data",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", PATH), GraphQL("loadSampleData")),
    errors=(TEST_MODE_ONLY, SCOPES_EXCEEDED, SAMPLE_DATA_NEEDS_EMPTY),
)
async def load_sample_data(call: Call, request: EmptyRequest) -> SampleDataLoaded:
    """Load sample data into your test business.

    Creates customers, drivers, a vehicle, and orders of today with a route that is under way, in the country, currency
    and time zone of your business. A repeat changes nothing. The test business must have no records. Needs a test
    token.
    """
    created = await load_samples(call)
    return SampleDataLoaded(message=call.translate("sample_data_loaded"), existing=not created)


@writes(
    "remove_sample_data",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", PATH), GraphQL("removeSampleData")),
    errors=(TEST_MODE_ONLY,),
)
async def remove_sample_data(call: Call, request: EmptyRequest) -> SampleDataRemoved:
    """Remove the sample data from your test business.

    Deletes all records of the test business, including your changes and additions to the sample data. Changes nothing
    without sample data. Live data does not change. Needs a test token.
    """
    deleted = await remove_samples(call)
    return SampleDataRemoved(message=call.translate("sample_data_removed"), deleted=deleted)
