"""The headers of a connection that change what its calls may do, with what each does. They are told at every door alike."""

CONNECTION_HEADERS = {
    "X-MCP-Profile": "Narrows the connection to a profile.",
    "X-MCP-Scopes": "Narrows it to scopes, with commas between; counts before the profile.",
    "X-MCP-Dry-Run": "1: writes are run and rolled back, with a preview.",
    "X-MCP-Detail": "full: previews tell every record that would change; else only what differs.",
    "X-MCP-Require-Approval": "1: high-risk writes wait for a human; medium, all: more of them.",
    "Idempotency-Key": "A repeated write with the same key gives the first answer, or 409 where that holds a secret.",
    "Accept-Language": "The language of messages.",
}
