"""Inbound events: requests of providers and their answers."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.tracking.ingest.rules.carrier_pushes import IngestOutcome
from haulier.contexts.tracking.providers.contract import ProviderName
from haulier.contexts.tracking.timelines.contract import TrackingNumber
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.ids import RefersTo

OnError = Literal["rollback", "proceed"]
ENTRUSTED_MAX = 200
PREFER_MAX = 1000
"""Characters of a Prefer header."""
SIGNATURE_MAX = 2000
"""Characters of a signature: of RSA keys of 4096 bits 684, in base64."""

Prefer = Annotated[str, Field(max_length=PREFER_MAX, examples=["respond-async"])]

SignatureText = Annotated[str, Field(max_length=SIGNATURE_MAX, examples=["hmac-sha256-hex=1f0a"])]

_NATIVE_SCHEMA: dict[str, Any] = {
    "title": "OtepDocument",
    "type": "object",
    "description": "One timeline in the protocol's native form (see /v1/otep/schema.json), several under `timelines`, or one "
    "event with its `subject`. Events of a timeline may carry a subject of their own. "
    "`on_error` decides whether one refused event refuses all (`rollback`) or only itself (`proceed`).",
    "properties": {
        "on_error": {"enum": ["rollback", "proceed"]},
        "timelines": {"type": "array", "maxItems": 1000, "items": {"type": "object"}},
        "profile": {"type": "string"},
        "subject": {"type": "object"},
        "events": {"type": "array", "maxItems": 1000, "items": {"type": "object"}},
        "voided": {"type": "array", "maxItems": 1000, "items": {"type": "object"}},
        "current_status": {"type": "string", "maxLength": 60},
    },
}
_EPCIS_SCHEMA: dict[str, Any] = {
    "title": "EpcisDocument",
    "type": "object",
    "description": "An EPCISDocument, an EPCISQueryDocument or one event of EPCIS 2.0 (JSON-LD).",
    "properties": {"type": {"type": "string", "examples": ["EPCISDocument"]}},
    "required": ["type"],
}
_XML_SCHEMA: dict[str, Any] = {
    "title": "EpcisXmlDocument",
    "type": "string",
    "description": "An EPCISDocument or EPCISQueryDocument of EPCIS 1.2 or 2.0.",
}


class SignedPush(DocumentRequest):
    """A document with an optional signature, in the provider's own scheme."""

    hmac_signature: SignatureText = ""
    """EasyPost's signature of the body."""
    rsa_signature: SignatureText = ""
    """ShipEngine's signature of time and body, in base64."""
    rsa_key_id: Annotated[SignatureText, RefersTo(None)] = ""
    """ID of the ShipEngine key that signed."""
    signed_at: SignatureText = ""
    """Time of ShipEngine's signature."""
    shippo_signature: SignatureText = ""
    """Shippo's time and signature of time and body: `t=…,v1=…`."""
    aftership_signature: SignatureText = ""
    """AfterShip's signature of the body, in base64."""


class IngestTimelines(SignedPush):
    """Events in the protocol's native form."""

    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {"application/json": _NATIVE_SCHEMA}
    on_error: OnError = "proceed"
    """If one event is rejected: `proceed` with the others, or `rollback` all. `on_error` in the document takes
    precedence."""
    prefer: Prefer = ""
    """Preferences (RFC 7240). `respond-async`: events may be queued and written a moment later, where refused ones stop no
    others and the instance has a broker; the answer then carries `Preference-Applied`. Others are ignored."""


class IngestEpcis(SignedPush):
    """Events as an EPCIS document."""

    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "application/json": _EPCIS_SCHEMA,
        "application/ld+json": _EPCIS_SCHEMA,
        "application/xml": _XML_SCHEMA,
        "text/xml": _XML_SCHEMA,
    }
    on_error: OnError = "rollback"
    """If one event is rejected: `proceed` with the others, or `rollback` all, which is the standard's default."""
    prefer: Prefer = ""
    """Preferences, as for `ingest_timelines`."""


class IngestRefusal(Answer, omit_defaults=True):
    """A reason why an event was rejected."""

    path: Annotated[str, doc("Position in the document (JSONPath).", "$.events[0].status_code")]
    code: Annotated[str, doc("Stable machine-readable code, as in an error.", "UNKNOWN_CODE")]
    message: Annotated[str, doc("Message in the caller's language.")]
    hint: Annotated[str | UnsetType, doc("Hint in the caller's language.")] = UNSET


class IngestReceipt(Answer, omit_defaults=True):
    """The outcome of one event of the document."""

    path: Annotated[str, doc("Position in the document (JSONPath).", "$.events[0]")]
    outcome: Annotated[
        IngestOutcome,
        doc(
            "Outcome: accepted; duplicate: already recorded; refused: see `reasons`; corrected: the event was "
            "voided; queued: it will be written later, and rejections appear in the list of refused pushes."
        ),
    ]
    tracking_numbers: Annotated[list[str] | UnsetType, doc("Timelines that the event was added to.")] = UNSET
    event_ids: Annotated[list[str] | UnsetType, doc("Ids of the event, one for each timeline.")] = UNSET
    late: Annotated[
        bool | UnsetType,
        doc("True if the event came after the end of the journey. It is stored, but the status does not change."),
    ] = UNSET
    reasons: Annotated[list[IngestRefusal] | UnsetType, doc("All reasons for a refused event.")] = UNSET


class IngestCounts(Answer):
    """Number of events by outcome."""

    accepted: int = 0
    duplicate: int = 0
    refused: int = 0
    corrected: int = 0
    queued: int = 0


class IngestResult(Answer):
    """Outcomes of the events of a document, in order."""

    result: Annotated[bool, doc("False if every event was refused.")]
    on_error: OnError
    counts: IngestCounts
    receipts: list[IngestReceipt]
    push_id: Annotated[
        str | UnsetType,
        doc("Id of the push in the list of refused pushes, if events were queued.", "5f0c2a9be1d34c77"),
    ] = UNSET


class EntrustParcels(Request):
    """Parcels that were handed to a carrier."""

    tracking_numbers: Annotated[
        tuple[TrackingNumber, ...], Field(min_length=1, max_length=ENTRUSTED_MAX, examples=[["HL7XK2M9QA"]])
    ]
    """At most 200, by the client's own numbers or those that carriers gave them."""
    carrier: ProviderName
    """The carrier: the name of a provider's key, or one of the names under which the key may report."""


class NotEntrusted(Answer):
    """A number without a parcel of the client."""

    tracking_number: str
    message: str


class EntrustedParcels(Answer):
    """Assigned parcels. An unknown number does not stop the others."""

    result: bool = True
    entrusted: Annotated[int, doc("Number of parcels that the carrier now has.")]
    errors: list[NotEntrusted]
