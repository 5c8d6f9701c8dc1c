"""Operations for branding."""

from haulier.contexts.recipients.brand import store
from haulier.contexts.recipients.brand.contract import BrandAnswer, SetBrand
from haulier.contexts.recipients.brand.queries import load_brand
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope

PATH = "/v1/client/profile/brand"


@reads(
    "get_brand",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", PATH), GraphQL("brand")),
)
async def get_brand(call: Call, request: EmptyRequest) -> BrandAnswer:
    """Get the branding shown to recipients.

    Includes the colour and the contact details.
    """
    return BrandAnswer(brand=await load_brand(call))


@writes(
    "set_brand",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", PATH), GraphQL("setBrand")),
)
async def set_brand(call: Call, request: SetBrand) -> BrandAnswer:
    """Set the branding shown to recipients.

    Sets the colour of the tracking page and its contact details. They are visible to anyone with a tracking number.
    """
    await store.upsert_brand(call.work, **request.model_dump(), changed_at=call.now)
    call.add_audit_subjects("client", call.client_id)
    return BrandAnswer(brand=await load_brand(call))
