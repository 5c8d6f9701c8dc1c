"""Headers that change what the calls of a connection may do.

All interfaces document them.
"""

CONNECTION_HEADERS = {
    "X-MCP-Profile": "Narrows the connection to a profile.",
    "X-MCP-Scopes": "Narrows it to comma-separated scopes; takes precedence over the profile.",
    "X-MCP-Dry-Run": "1: writes are run and rolled back, with a preview.",
    "X-MCP-Detail": "full: previews list every record that would change; otherwise only the differences.",
    "X-MCP-Require-Approval": "1: high-risk writes wait for approval; medium, all: more writes wait.",
    "X-MCP-Tools": "search: lists the starter tools and find_tools and call_tool, which reach the others.",
    "Idempotency-Key": "A repeated write with the same key returns the first answer, or 409 if that holds a secret.",
    "Accept-Language": "The language of messages.",
}
