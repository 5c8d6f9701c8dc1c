"""What an agent asks for: which rights, at which server."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from haulier.kernel.operations.enums import McpServer, Scope
from haulier.kernel.operations.errors import SCOPES_EXCEEDED, declare_error
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
    found = {_KNOWN[name] for name in names if name in _KNOWN}
    found.update(*(PROFILES[name] for name in names if name in PROFILES))
    if not found:
        raise SCOPE_UNKNOWN(scope=scope)
    return frozenset(found)


def require_scopes_within(chosen: Iterable[Scope], asked: frozenset[Scope], own: frozenset[Scope]) -> frozenset[Scope]:
    """A person gives what was asked for and is theirs, or less. Raises `SCOPES_EXCEEDED`."""
    given = frozenset(chosen)
    if exceeding := sorted(given - (asked & own)):
        raise SCOPES_EXCEEDED(scopes=", ".join(exceeding))
    return given


def server_for_resource(resource: str | None, base_url: str) -> McpServer:
    """The server that a resource indicator names (RFC 8707); the first one for an agent that knows of none.

    A query does not tell servers apart. Raises `TARGET_UNKNOWN` for anything else.
    """
    if resource is None:
        return McpServer.USER
    try:
        asked, ours = urlsplit(resource), urlsplit(base_url)
    except ValueError:
        raise TARGET_UNKNOWN(resource=resource[:200]) from None
    here = (asked.scheme.lower(), asked.netloc.lower()) == (ours.scheme.lower(), ours.netloc.lower())
    server = SERVER_PATHS.get(asked.path.rstrip("/"))
    if server is None or not here or asked.fragment:
        raise TARGET_UNKNOWN(resource=resource[:200])
    return server


def is_write_scope(scope: Scope) -> bool:
    """Whether a scope lets an agent change anything: such a one is only given when a person ticks it."""
    return not scope.value.endswith(":read")
