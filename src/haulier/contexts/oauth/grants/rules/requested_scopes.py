"""The scopes and the server that an agent requests."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from haulier.contexts.identity.accounts.rules import require_scopes_held
from haulier.kernel.operations.enums import McpServer, Scope
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.operations.scope_profiles import DEFAULT_PROFILE, PROFILES
from haulier.kernel.pipeline.token_audience import SERVER_PATHS

SCOPE_UNKNOWN = declare_error("agent_scope_unknown", 400)
TARGET_UNKNOWN = declare_error("agent_target_unknown", 400)

_KNOWN = {scope.value: scope for scope in Scope}


def parse_requested_scopes(scope: str | None) -> frozenset[Scope]:
    """The scopes in a list with spaces between; the name of a profile means its scopes. Without any, the default profile's.

    What is no scope of ours (`offline_access`, say) is passed over, as RFC 6749, section 3.3 allows; where nothing else is
    asked for, it raises `SCOPE_UNKNOWN`.
    """
    names = (scope or "").split()
    if not names:
        return PROFILES[DEFAULT_PROFILE]
    scopes = {_KNOWN[name] for name in names if name in _KNOWN}
    scopes.update(*(PROFILES[name] for name in names if name in PROFILES))
    if not scopes:
        raise SCOPE_UNKNOWN(scope=scope)
    return frozenset(scopes)


def require_scopes_within(
    chosen: Iterable[Scope], requested: frozenset[Scope], own: frozenset[Scope]
) -> frozenset[Scope]:
    """The granted scopes: at most those that were requested and that the person has. Raises `SCOPES_EXCEEDED`."""
    granted = frozenset(chosen)
    require_scopes_held(granted, requested & own)
    return granted


def server_for_resource(resource: str | None, base_url: str) -> McpServer:
    """The server that a resource indicator names (RFC 8707); the first one for an agent that knows of none.

    A query does not tell servers apart. Raises `TARGET_UNKNOWN` for anything else.
    """
    if resource is None:
        return McpServer.USER
    try:
        requested, ours = urlsplit(resource), urlsplit(base_url)
    except ValueError:
        raise TARGET_UNKNOWN(resource=resource[:200]) from None
    same_host = (requested.scheme.lower(), requested.netloc.lower()) == (ours.scheme.lower(), ours.netloc.lower())
    server = SERVER_PATHS.get(requested.path.rstrip("/"))
    if server is None or not same_host or requested.fragment:
        raise TARGET_UNKNOWN(resource=resource[:200])
    return server


def is_write_scope(scope: Scope) -> bool:
    """Whether a scope lets an agent change anything: such a one is only given when a person ticks it."""
    return not scope.value.endswith(":read")
