"""The tables of the authorisation server. Of every secret only the digest is kept."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, Index, LargeBinary, String

from haulier.contexts.oauth.grants.contract.fields import AGENT_ID_MAX, NAME_MAX, URI_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.tables import Id, Json, UTCDateTime, directory_table, shared_table


class AgentRow(Record, table="oauth_client", kind=shared_table):
    """An agent. `fetched_at` is null for one that registered itself.

    `key` is the agent's `client_id`. `fetched_at` is null for an agent that registered itself.
    """

    key: Annotated[str, Column("key", String(AGENT_ID_MAX), nullable=False, unique=True)]
    name: Annotated[str, String(NAME_MAX)]
    uri: Annotated[str, String(URI_MAX)] | None
    redirect_uris: list[str]
    created_at: Annotated[datetime, Column("created_at", UTCDateTime, nullable=False, index=True)]
    fetched_at: datetime | None


agents = AgentRow.table
plain_columns(agents, "key", "name", "uri", "redirect_uris")

grants = directory_table(
    "oauth_grant",
    Column("user_id", Id, nullable=False),
    Column("parent_token_id", Id),
    Column("agent_id", Id, nullable=False, index=True),
    Column("name", String(NAME_MAX), nullable=False),
    Column("server", String(10), nullable=False),
    Column("scopes", Json, nullable=False),
    Column("redirect_uri", String(URI_MAX)),
    Column("code_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("code_challenge", String(43), nullable=False),
    Column("code_expires_at", UTCDateTime, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("began_at", UTCDateTime),
    Column("refreshed_at", UTCDateTime),
    Column("idle_until", UTCDateTime),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Column("end_reason", String(20)),
    Index("ix_oauth_grant_owner", "client_id", "user_id"),
    why="an agent sends a code before anybody has signed in",
)
"""A row is written at the consent, with the digest of its code; the grant starts at `began_at`, when the code is exchanged.

`redirect_uri` is null where the agent's request named none. `parent_token_id` is the API token with which the consent was
given, which the grant ends with; null where a person gave it, signed in.
"""
personal_data(
    grants,
    RecordKind.SIGN_INS,
    by={"user_id": PersonKey.USER},
    erased={},
    secret=frozenset({"code_challenge"}),
    plain=("name", "server", "scopes", "redirect_uri", "code_sha256", "code_challenge", "end_reason"),
)

refresh_tokens = directory_table(
    "oauth_refresh_token",
    Column("grant_id", Id, nullable=False, index=True),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("access_token_id", Id, nullable=False, index=True),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("used_at", UTCDateTime),
    why="an agent sends a secret before anybody has signed in",
)
"""Every refresh token of a grant, with the access token given out beside it. One that is used again is known to two parties."""
plain_columns(refresh_tokens, "token_sha256")
