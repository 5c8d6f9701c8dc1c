"""Create the first business of a server, with its owner."""

from haulier.contexts.identity.accounts import actions as accounts_actions
from haulier.contexts.identity.accounts.queries import find_all_client_codes
from haulier.contexts.identity.accounts.rules import LANGUAGE_SETTING, require_strong_password, settings_for_modules
from haulier.contexts.identity.server_setup import actions, store
from haulier.contexts.identity.server_setup.contract import CreateFirstBusiness
from haulier.contexts.identity.server_setup.rules import ALREADY_SET_UP, SETUP_CODE_INVALID, make_business_code
from haulier.contexts.identity.sessions.contract import LoginSession, SessionClient, SessionUser
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token


async def check_code_and_hash_password(context: RequestContext, request: CreateFirstBusiness) -> str:
    """Return the hash of the chosen password.

    Raises `SETUP_CODE_INVALID`, `ALREADY_SET_UP`, or `INVALID_REQUEST` if it is weak.
    """
    async with context.app.database.read(None) as work:
        if not await store.is_setup_code(work, _digest(request)):
            raise SETUP_CODE_INVALID()
        if await actions.has_accounts(work):
            raise ALREADY_SET_UP()
    password = request.password.get_secret_value()
    require_strong_password(password, request.email, request.name, field="password", business=(request.business_name,))
    return await accounts_actions.hash_password(password)


@writes(
    "create_first_business",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/setup"), GraphQL("createFirstBusiness")),
    limits=(RateLimit(10, 60, ("address",)),),
    errors=(SETUP_CODE_INVALID, ALREADY_SET_UP),
    prepare=check_code_and_hash_password,
)
async def create_first_business(call: Call, request: CreateFirstBusiness) -> LoginSession:
    """Create the first business of a server.

    Its owner is created and signed in at once. Needs the code that the server printed on start, and works once, while
    the server has no account.
    """
    work = call.work.without_tenant_filter("the server has no business yet")
    if not await store.use_setup_code(work, _digest(request), call.now) or await store.has_users(work):
        raise ALREADY_SET_UP()
    code = make_business_code(request.business_name, await find_all_client_codes(work))
    client_id = await _add_business(work, call, request, code)
    user_id = await accounts_actions.add_user(
        work,
        client_id=client_id,
        email=request.email,
        name=request.name,
        account=Account.CLIENT_ADMIN,
        password_hash=call.prepared,
        now=call.now,
    )
    if request.language:
        await accounts_actions.set_member(work, user_id, client_id=client_id, language=request.language)
    call.set_signed_in(client_id, user_id, Account.CLIENT_ADMIN)
    call.add_audit_subjects("user", user_id)
    issued = await accounts_actions.issue_access_token(
        call.work, client_id=client_id, user_id=user_id, now=call.now, name=request.device
    )
    return LoginSession(
        access_token=issued.token,
        expires_at=issued.expires_at,
        user=SessionUser(id=user_id, name=request.name, email=request.email, account=Account.CLIENT_ADMIN),
        client=SessionClient(code=code, name=request.business_name),
    )


async def _add_business(work: UnitOfWork, call: Call, request: CreateFirstBusiness, code: str) -> int:
    return await accounts_actions.add_client(
        work,
        code=code,
        name=request.business_name,
        time_zone=request.time_zone,
        currency=request.currency,
        country=request.country,
        modules=[],
        features=[],
        settings={
            **({LANGUAGE_SETTING: request.language} if request.language else {}),
            **settings_for_modules(request.modules),
        },
        created_at=call.now,
    )


def _digest(request: CreateFirstBusiness) -> bytes:
    return hash_token(request.setup_code.get_secret_value())
