"""Provider keys: issued once, listed, revoked."""

from haulier.contexts.tracking.ports import KeyIssuers, KeySetVerifier
from haulier.contexts.tracking.providers import store
from haulier.contexts.tracking.providers.actions import create_provider_key
from haulier.contexts.tracking.providers.contract import (
    IssuedProviderKey,
    IssueProviderKey,
    ListProviderKeys,
    OwnProviderKey,
    ProviderKey,
    ProviderKeyList,
    ProviderKeyRef,
    PushSignatureSet,
    SetPushSignature,
    SignatureScheme,
)
from haulier.contexts.tracking.providers.queries import (
    ISSUERS,
    ISSUING_SCOPES,
    PROVIDER_KEY_NEEDED,
    find_key_lapses,
    require_provider_grant,
    signing_secret_label,
)
from haulier.contexts.tracking.providers.store import ProviderKeyRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.reach import read_lapse
from haulier.kernel.secrets import SecretVault

PROVIDER_SECRETS_NOT_KEPT = declare_error("provider_secrets_not_kept", 409)


@writes(
    "issue_provider_key",
    replayable=False,
    audience=ISSUERS,
    scopes=ISSUING_SCOPES,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/otep/providers", status=201), GraphQL("issueProviderKey")),
)
async def issue_provider_key(call: Call, request: IssueProviderKey) -> IssuedProviderKey:
    """Issue a provider key for pushing tracking events.

    For a carrier or partner. Its text is shown once. The key works for this client alone, can only push events and read
    which of them were rejected, and only uses the source names that it is given.
    """
    issued = await create_provider_key(
        call.work,
        client_id=call.client_id,
        name=request.name,
        now=call.now,
        carriers=request.carriers,
        source_type=request.source_type.value,
        per_minute=request.per_minute,
        issued_by=call.actor,
        set_up=await call.adapter(KeyIssuers).get_set_up_columns(call),
    )
    call.add_audit_subjects("provider_key", issued.id)
    return record(IssuedProviderKey, issued, name=request.name, carriers=sorted(set(request.carriers)))


@reads(
    "list_provider_keys",
    audience=ISSUERS,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/otep/providers"), GraphQL("providerKeys")),
)
async def list_provider_keys(call: Call, request: ListProviderKeys) -> ProviderKeyList:
    """List provider keys, newest first.

    Includes revoked keys.
    """
    rows, total = await store.page_provider_keys(call.work, limit=request.per_page, offset=request.offset)
    lapses = await find_key_lapses(call.adapter(KeyIssuers), call.work, call.business, rows, call.now)
    records = [
        record(ProviderKey, row, suspended_reason=lapses.get(row.id) or read_lapse(row.suspended_reason))
        for row in rows
    ]
    return ProviderKeyList(total=total, page=request.page, per_page=request.per_page, providers=records)


@reads(
    "get_own_provider_key",
    audience={Account.PROVIDER},
    interfaces=(Rest("GET", "/v1/otep/providers/me"), GraphQL("ownProviderKey")),
    errors=(PROVIDER_KEY_NEEDED,),
)
async def get_own_provider_key(call: Call, request: EmptyRequest) -> OwnProviderKey:
    """Get the rights of your provider key.

    Returns its source names and limits.
    """
    principal, grant = call.principal, require_provider_grant(call.principal)
    return OwnProviderKey(
        id=principal.token_id or 0,
        name=principal.name or "",
        client=principal.business.code if principal.business else "",
        source_type=grant.source_type,
        carriers=sorted(grant.carriers),
        per_minute=grant.per_minute,
        scopes=sorted(principal.scopes),
    )


@writes(
    "revoke_provider_key",
    audience=ISSUERS,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/otep/providers/{provider_id}"), GraphQL("revokeProviderKey")),
    errors=(NOT_FOUND,),
)
async def revoke_provider_key(call: Call, request: ProviderKeyRef) -> Done:
    """Revoke a provider key.

    Takes effect at once and cannot be undone. Its events are kept. Repeating the call changes nothing.
    """
    if await ProviderKeyRow.get(call.work, request.provider_id) is None:
        raise NOT_FOUND()
    await store.mark_provider_key_revoked(call.work, request.provider_id, call.now)
    call.add_audit_subjects("provider_key", request.provider_id)
    return Done(message=call.translate("provider_key_revoked"))


@writes(
    "confirm_provider_key",
    audience=ISSUERS,
    scopes=ISSUING_SCOPES,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/otep/providers/{provider_id}/confirm"), GraphQL("confirmProviderKey")),
    errors=(NOT_FOUND,),
)
async def confirm_provider_key(call: Call, request: ProviderKeyRef) -> Done:
    """Confirm a provider key.

    A suspended key works again, and you are responsible for it from now on. Revoked keys cannot be confirmed.
    """
    set_up = await call.adapter(KeyIssuers).get_set_up_columns(call)
    if not await store.mark_provider_key_confirmed(
        call.work, request.provider_id, set_up["set_up_by"], set_up["set_up_with"]
    ):
        raise record_not_found(provider_id=request.provider_id)
    call.add_audit_subjects("provider_key", request.provider_id)
    return Done(message=call.translate("provider_key_confirmed"))


@writes(
    "set_push_signature",
    audience=ISSUERS,
    scopes=ISSUING_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/otep/providers/{provider_id}/signature"), GraphQL("setPushSignature")),
    errors=(NOT_FOUND, PROVIDER_SECRETS_NOT_KEPT),
)
async def set_push_signature(call: Call, request: SetPushSignature) -> PushSignatureSet:
    """Require signed pushes from a provider.

    Stores the secret for verification. Pushes without a valid signature are rejected.
    """
    if await ProviderKeyRow.get(call.work, request.provider_id) is None:
        raise NOT_FOUND()
    secret, vault = request.secret.get_secret_value(), call.adapter(SecretVault)
    if request.scheme is SignatureScheme.SHIPENGINE and not call.adapter(KeySetVerifier).is_key_set(secret):
        raise INVALID_REQUEST.for_fields(FieldError("secret", "field.key_set_expected"))
    if not vault.available:
        raise PROVIDER_SECRETS_NOT_KEPT()
    sealed = vault.seal(secret, signing_secret_label(call.client_id, request.provider_id))
    await store.write_push_signature(call.work, request.provider_id, request.scheme.value, sealed)
    call.add_audit_subjects("provider_key", request.provider_id)
    return PushSignatureSet(id=request.provider_id, signature_scheme=request.scheme.value)


@writes(
    "remove_push_signature",
    audience=ISSUERS,
    scopes=ISSUING_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/otep/providers/{provider_id}/signature"), GraphQL("removePushSignature")),
    errors=(NOT_FOUND,),
)
async def remove_push_signature(call: Call, request: ProviderKeyRef) -> PushSignatureSet:
    """Remove the signature requirement of a provider.

    Deletes the secret; the key alone then authenticates the provider.
    """
    if await ProviderKeyRow.get(call.work, request.provider_id) is None:
        raise NOT_FOUND()
    await store.write_push_signature(call.work, request.provider_id, None, None)
    call.add_audit_subjects("provider_key", request.provider_id)
    return PushSignatureSet(id=request.provider_id, signature_scheme=None)
