"""API tokens: issue, list, rotate and revoke the keys of programs."""

from datetime import datetime, timedelta

from haulier.contexts.identity.accounts.actions import tokens
from haulier.contexts.identity.accounts.contract.tokens import (
    ApiToken,
    ApiTokenList,
    ApiTokenRef,
    IssueApiToken,
    IssuedApiToken,
    ListApiTokens,
    RotateApiToken,
)
from haulier.contexts.identity.accounts.queries.users import find_user
from haulier.contexts.identity.accounts.rules.scopes import SCOPES_BY_ACCOUNT, delegated_scopes, effective_scopes
from haulier.contexts.identity.accounts.rules.tokens import (
    TOKEN_ENDED,
    TokenFilter,
    TokenKind,
    TokenState,
    require_token_active,
    token_state,
)
from haulier.contexts.identity.accounts.rules.users import NOT_A_PROVIDER
from haulier.contexts.identity.accounts.store import tokens as store
from haulier.contexts.identity.accounts.store.token_search import TokenListRow, list_token_rows
from haulier.contexts.identity.accounts.store.tokens import TokenRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.operations.records import record
from haulier.kernel.operations.scope_profiles import UNKNOWN_PROFILE, get_profile_scopes


@writes(
    "issue_api_token",
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/tokens", status=201), GraphQL("issueApiToken")),
    errors=(SCOPES_EXCEEDED, UNKNOWN_PROFILE, NOT_FOUND, NOT_A_PROVIDER),
)
async def issue_api_token(call: Call, request: IssueApiToken) -> IssuedApiToken:
    """Issue a token for a program. Its text is shown once.

    A token never has more scopes than the one that issues it. One that is issued by another token ends no later than that
    one, and with it. Admins may issue tokens for provider accounts too.
    """
    bearer = call.actor or 0
    limit = call.principal.scopes
    if request.provider_id is not None:
        bearer = await _provider_id(call, request.provider_id)
        limit &= SCOPES_BY_ACCOUNT[Account.PROVIDER]
    scopes = delegated_scopes(request.scopes, request.profile, limit, whole=request.provider_id is not None)
    issued = await tokens.issue_access_token(
        call.work,
        client_id=call.client_id,
        user_id=bearer,
        now=call.now,
        kind=TokenKind.API,
        lifetime=timedelta(days=request.expires_in_days),
        scopes=scopes,
        name=request.name,
        issued_by=call.actor,
        parent=await tokens.lock_parent_token(call.work, call.principal.token_id, call.now),
    )
    call.add_audit_subjects("token", issued.id)
    return IssuedApiToken(id=issued.id, access_token=issued.token, scopes=sorted(scopes), expires_at=issued.expires_at)


async def _provider_id(call: Call, user_id: int) -> int:
    user = await find_user(call.work, user_id)
    if user is None or call.principal.account is not Account.CLIENT_ADMIN:
        raise NOT_FOUND()
    if user.account != Account.PROVIDER:
        raise NOT_A_PROVIDER(user_id=user_id)
    return user.id


@reads(
    "list_api_tokens",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/tokens"), GraphQL("apiTokens")),
    errors=(NOT_FOUND, UNKNOWN_PROFILE),
)
async def list_api_tokens(call: Call, request: ListApiTokens) -> ApiTokenList:
    """The API tokens that work, newest first: the caller's, or for admins any user's or everybody's.

    Those that expired or were revoked are listed when asked for.
    """
    token_filter = _token_filter(call, request)
    rows, total = await list_token_rows(
        call.work, token_filter, call.now, limit=request.per_page, offset=request.offset
    )
    records = [_api_token(row, call.now) for row in rows]
    return ApiTokenList(total=total, page=request.page, per_page=request.per_page, tokens=records)


def _api_token(row: TokenListRow, now: datetime) -> ApiToken:
    return record(ApiToken, row, state=token_state(row.revoked_at, row.expires_at, now))


def _token_filter(call: Call, request: ListApiTokens) -> TokenFilter:
    """The filter of a request. Raises `NOT_FOUND` for tokens of others where the caller is no admin, and `UNKNOWN_PROFILE`."""
    owner = request.user_id or (None if request.all_users else call.actor or 0)
    if owner != call.actor and call.principal.account is not Account.CLIENT_ADMIN:
        raise NOT_FOUND()
    held = get_profile_scopes(request.profile) if request.profile else frozenset[Scope]()
    return TokenFilter(
        kind=TokenKind.API,
        owner=owner,
        state=request.state,
        text=request.search,
        scopes=held | ({request.scope} if request.scope else set()),
    )


@writes(
    "revoke_api_token",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", "/v1/tokens/{token_id}"), GraphQL("revokeApiToken")),
    errors=(NOT_FOUND,),
)
async def revoke_api_token(call: Call, request: ApiTokenRef) -> Done:
    """Revoke an API token: the caller's own, or for admins any of the client's. Doing it again changes nothing.

    What the token issued ends with it: other tokens, and the agents that were connected with it.
    """
    token = await store.get_token(call.work, request.token_id)
    allowed = token and (token.user_id == call.actor or call.principal.account is Account.CLIENT_ADMIN)
    if token is None or not allowed or token.kind != TokenKind.API:
        raise NOT_FOUND()
    await tokens.end_token(call.work, token.id, call.now)
    call.add_audit_subjects("token", token.id)
    return Done(message=call.translate("token_revoked"))


@writes(
    "rotate_api_token",
    allowed_where={"state": TokenState.ACTIVE.value},
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/tokens/{token_id}/rotate"), GraphQL("rotateApiToken")),
    errors=(NOT_FOUND, SCOPES_EXCEEDED, TOKEN_ENDED),
)
async def rotate_api_token(call: Call, request: RotateApiToken) -> IssuedApiToken:
    """Give an API token a new text, with the same name and scopes. The old text ends, at once or after an overlap.

    One rotates one's own tokens, admins also those of providers; and none that may do more than the caller. What the old
    text issued ends with it. A token that rotates itself lives no longer for it; a person who signed in may lengthen it.
    """
    old = await store.get_token(call.work, request.token_id, lock=True)
    if old is None or old.kind != TokenKind.API or not _may_see_token_text(call, old):
        raise NOT_FOUND()
    require_token_active(old.revoked_at, old.expires_at, call.now)
    scopes = delegated_scopes(effective_scopes(Account(old.account), old.scopes), None, call.principal.scopes)
    caller = await tokens.lock_parent_token(call.work, call.principal.token_id, call.now)
    parent = caller if caller and caller.id != old.id else await _parent_of(call, old)
    longest = [call.now + timedelta(days=request.expires_in_days), *([caller.expires_at] if caller else [])]
    issued = await tokens.issue_access_token(
        call.work,
        client_id=call.client_id,
        user_id=old.user_id,
        now=call.now,
        kind=TokenKind.API,
        lifetime=min(longest) - call.now,
        scopes=scopes,
        name=old.name,
        issued_by=call.actor,
        parent=parent,
    )
    if request.overlap_minutes:
        await tokens.shorten_token(call.work, old.id, call.now + timedelta(minutes=request.overlap_minutes))
    else:
        await tokens.end_token(call.work, old.id, call.now)
    call.add_audit_subjects("token", old.id, issued.id)
    return IssuedApiToken(id=issued.id, access_token=issued.token, scopes=sorted(scopes), expires_at=issued.expires_at)


async def _parent_of(call: Call, token: TokenRow) -> TokenRow | None:
    """The token that issued a token, which its new text hangs on too."""
    return await tokens.lock_parent_token(call.work, token.parent_id, call.now)


def _may_see_token_text(call: Call, token: TokenRow) -> bool:
    """Whether the caller may see the text of a token. With the text of a colleague's token an admin could act in their name."""
    is_provider_token = call.principal.account is Account.CLIENT_ADMIN and token.account == Account.PROVIDER
    return is_provider_token or token.user_id == call.actor
