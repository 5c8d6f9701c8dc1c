"""Fields that several requests share."""

from typing import Annotated

from pydantic import Field, SecretStr

URI_MAX = 2000
AGENT_ID_MAX = 500
NAME_MAX = 100

AgentId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=AGENT_ID_MAX,
        pattern=r"^[\x21-\x7e]+$",
        description="The agent's `client_id`.",
        examples=["agent-6f1c1b0e3a5d4c7f9b2d8e1a0c3f5b7d"],
    ),
]
Uri = Annotated[
    str,
    Field(min_length=1, max_length=URI_MAX, pattern=r"^[\x21-\x7e]+$", examples=["http://127.0.0.1:33418/callback"]),
]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=200)]
ScopeList = Annotated[str, Field(max_length=2000, pattern=r"^[\x20-\x7e]*$", examples=["orders:read routes:read"])]
Resource = Annotated[
    str, Field(min_length=1, max_length=URI_MAX, pattern=r"^[\x21-\x7e]+$", examples=["https://freight.example/mcp"])
]
