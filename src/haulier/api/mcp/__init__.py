"""The MCP door: operations as tools for agents, on the official SDK's low-level server."""
