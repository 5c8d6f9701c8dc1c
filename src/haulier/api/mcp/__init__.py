"""MCP server: operations as tools for agents, on the SDK's low-level server."""
