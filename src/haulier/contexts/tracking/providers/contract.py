"""Provider keys: requests and answers."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, SecretStr

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.reach import SetUpLapse
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PROVIDER_NAME_MAX = 120
CARRIERS_MAX = 50
SIGNING_SECRET_MAX = 20_000
CALLS_PER_MINUTE = 600
"""Default limit of calls per minute of a key."""
# With full calls of 1,000 events that is 10,000 events a second.

CALLS_PER_MINUTE_MAX = 60_000

ProviderName = Annotated[
    str, Field(min_length=1, max_length=PROVIDER_NAME_MAX, pattern=r"^[^\s\x00-\x1f].*$", examples=["Swift Post"])
]


class ProviderKind(StrEnum):
    """Kind of source of a provider, never the client's own delivery."""

    CARRIER = "carrier"
    PARTNER = "partner"
    THIRD_PARTY = "third_party"


class SignatureScheme(StrEnum):
    """Signature schemes of providers."""

    EASYPOST = "easypost"
    """HMAC-SHA256 of the body in `X-Hmac-Signature`, with the `webhook_secret` of the webhook."""
    SHIPENGINE = "shipengine"
    """RSA-SHA256 of time and body in `X-ShipEngine-RSA-SHA256-Signature`, with a key of ShipEngine's published set."""
    SHIPPO = "shippo"
    """HMAC-SHA256 of time and body in `Shippo-Auth-Signature`, with the secret that Shippo issues."""
    AFTERSHIP = "aftership"
    """HMAC-SHA256 of the body in `aftership-hmac-sha256`, with the webhook secret of the account."""


class IssueProviderKey(Request):
    """A new key for a provider."""

    name: ProviderName
    """Name of the provider. Events without a source get this name."""
    carriers: Annotated[tuple[ProviderName, ...], Field(max_length=CARRIERS_MAX)] = ()
    """Additional source names that the provider can use. Default: any name."""
    source_type: ProviderKind = ProviderKind.CARRIER
    """Kind of source for events that do not state one."""
    per_minute: Annotated[int, Field(ge=1, le=CALLS_PER_MINUTE_MAX)] = CALLS_PER_MINUTE
    """Maximum calls per minute of the key, in each server process."""


class IssuedProviderKey(Answer):
    """A new key."""

    result: bool = True
    id: int
    key: Annotated[str, doc("Shown once; only its digest is stored. Send it as a bearer token.")]
    name: str
    carriers: list[str]


class ListProviderKeys(PageRequest):
    """Paging for provider keys."""


class ProviderKey(Answer):
    """A key, without its text."""

    id: int
    name: str
    carriers: Annotated[list[str], doc("Source names that it may use; empty for any name.")]
    source_type: str
    per_minute: Annotated[int, doc("Maximum calls per minute.", 600)]
    created_at: datetime
    last_used_at: Annotated[datetime | None, doc("Time of last use, to the hour; null if never used.")]
    revoked_at: Annotated[datetime | None, doc("Time of revocation; null while the key works.")]
    suspended_at: Annotated[
        datetime | None, doc("Moment of the suspension, recorded in the audit trail within five minutes")
    ]
    suspended_reason: Annotated[
        SetUpLapse | None,
        doc(
            "Reason why the key does not work until an admin confirms it: the user was disabled or the API token ended "
            "(`set_up_ended`), or they could no longer issue it (`not_permitted`)"
        ),
    ]
    signature_scheme: Annotated[str | None, doc("Required signature of each push; null for none.", "easypost")]


class ProviderKeyList(PagedAnswer):
    """A page of keys, newest first, revoked ones too."""

    providers: list[ProviderKey]


class OwnProviderKey(Answer):
    """Rights of a provider's key, for its holder."""

    result: bool = True
    id: int
    name: Annotated[
        str, doc("Name of the provider. Events without a source get this name, or that of its only carrier.")
    ]
    client: Annotated[str, doc("Code of the business that issued the key and owns the parcels.", "demo")]
    source_type: Annotated[str, doc("Kind of source for events that do not state one.", "carrier")]
    carriers: Annotated[list[str], doc("Additional source names that the key can use; empty for any name.")]
    per_minute: Annotated[int, doc("Maximum calls per minute, in each server process.", 600)]
    scopes: Annotated[list[str], doc("Scopes of the key.", ["tracking:write"])]


class ProviderKeyRef(Request):
    """Reference to a provider key."""

    provider_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """ID of the key."""


class SetPushSignature(ProviderKeyRef):
    """A required signature of pushes."""

    scheme: SignatureScheme
    """Signature scheme of the provider."""
    secret: Annotated[SecretStr, Field(min_length=8, max_length=SIGNING_SECRET_MAX, examples=["wh-secret-4f9a"])]
    """The secret that signatures are checked with: for `easypost` the `webhook_secret` of the webhook, for `shippo` and
    `aftership` the webhook secret of the account, for `shipengine` the JSON document of public keys that ShipEngine publishes
    at /jwks. Stored encrypted and never shown again."""


class PushSignatureSet(Answer):
    """The required signature of pushes."""

    result: bool = True
    id: Annotated[int, doc("Key of the provider.")]
    signature_scheme: Annotated[str | None, doc("Required signature of each push; null for none.", "easypost")]
