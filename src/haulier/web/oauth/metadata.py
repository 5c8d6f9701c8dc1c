"""Metadata of the MCP server (RFC 9728) and authorization server (RFC 8414)."""

from haulier.api.mcp.tools import tool_bindings
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.operations.enums import McpServer, Scope
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.pipeline.token_audience import SERVER_PATHS

AUTHORIZE_PATH, TOKEN_PATH, REGISTER_PATH, REVOKE_PATH = (
    "/oauth/authorize",
    "/oauth/token",
    "/oauth/register",
    "/oauth/revoke",
)
RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource"
SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server"
RESOURCE_NAMES = {McpServer.USER: "Haulier", McpServer.DEVELOPER: "Haulier for developers"}
GUIDE_PATH = "/ai-skill"


def resource_metadata(registry: Registry, base_url: str, path: str) -> bytes:
    """The document about the MCP server at a path.

    `scopes_supported` are those that it may challenge for: its tools' and, since a link may name any profile, every profile's.
    """
    from mcp.shared.auth import ProtectedResourceMetadata

    server = SERVER_PATHS[path]
    tools = {scope for _, operation in tool_bindings(registry, server) for scope in operation.scopes}
    scopes = tools.union(*PROFILES.values())
    document = ProtectedResourceMetadata.model_validate(
        {
            "resource": base_url + path,
            "authorization_servers": [base_url],
            "scopes_supported": sorted(scopes),
            "bearer_methods_supported": ["header"],
            "resource_name": RESOURCE_NAMES[server],
            "resource_documentation": base_url + GUIDE_PATH,
        }
    )
    return document.model_dump_json(exclude_none=True).encode()


def server_metadata(base_url: str) -> bytes:
    """The document about the authorisation server."""
    from mcp.shared.auth import OAuthMetadata

    document = OAuthMetadata.model_validate(
        {
            "issuer": base_url,
            "authorization_endpoint": base_url + AUTHORIZE_PATH,
            "token_endpoint": base_url + TOKEN_PATH,
            "registration_endpoint": base_url + REGISTER_PATH,
            "revocation_endpoint": base_url + REVOKE_PATH,
            "scopes_supported": [*Scope, *PROFILES],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
            "service_documentation": base_url + GUIDE_PATH,
            "ui_locales_supported": list(SUPPORTED_LANGUAGES),
        }
    )
    return document.model_dump_json(exclude_none=True).encode()
