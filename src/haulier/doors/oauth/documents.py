"""What agents read first: who protects an MCP server (RFC 9728), and how tokens are got here (RFC 8414)."""

from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata

from haulier.doors.mcp.tools import bindings
from haulier.kernel.audience import PATHS
from haulier.kernel.declarations import Scope, Server
from haulier.kernel.languages import SUPPORTED
from haulier.kernel.profiles import PROFILES
from haulier.kernel.registry import Registry

AUTHORIZE, TOKEN, REGISTER, REVOKE = "/oauth/authorize", "/oauth/token", "/oauth/register", "/oauth/revoke"
RESOURCE_DOCUMENT = "/.well-known/oauth-protected-resource"
SERVER_DOCUMENT = "/.well-known/oauth-authorization-server"
NAMES = {Server.USER: "Haulier", Server.DEVELOPER: "Haulier for developers"}
GUIDE = "/ai-skill"


def resource_document(registry: Registry, base_url: str, path: str) -> bytes:
    """The document about the MCP server at a path: `scopes_supported` are those that its tools need."""
    server = PATHS[path]
    scopes = {scope for _, operation in bindings(registry, server) for scope in operation.scopes}
    document = ProtectedResourceMetadata.model_validate(
        {
            "resource": base_url + path,
            "authorization_servers": [base_url],
            "scopes_supported": sorted(scopes),
            "bearer_methods_supported": ["header"],
            "resource_name": NAMES[server],
            "resource_documentation": base_url + GUIDE,
        }
    )
    return document.model_dump_json(exclude_none=True).encode()


def server_document(base_url: str) -> bytes:
    """The document about the authorisation server."""
    document = OAuthMetadata.model_validate(
        {
            "issuer": base_url,
            "authorization_endpoint": base_url + AUTHORIZE,
            "token_endpoint": base_url + TOKEN,
            "registration_endpoint": base_url + REGISTER,
            "revocation_endpoint": base_url + REVOKE,
            "scopes_supported": [*Scope, *PROFILES],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
            "service_documentation": base_url + GUIDE,
            "ui_locales_supported": list(SUPPORTED),
        }
    )
    return document.model_dump_json(exclude_none=True).encode()


def resource_document_at(base_url: str, path: str) -> str:
    """The address of the document about the MCP server at a path (RFC 9728, section 3.1)."""
    return f"{base_url}{RESOURCE_DOCUMENT}{path}"
