"""The validator, codebook, schema and guide of the protocol: requests and answers."""

from typing import Annotated, Any, ClassVar, get_args

from msgspec import UNSET, UnsetType, field
from pydantic import Field, JsonValue

from haulier.contexts.otep.projections.contract import ProjectionName
from haulier.contexts.otep.timeline.contract import OTEP_VERSION
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

FINDINGS_LISTED_MAX = 500
"""At most this many findings of a kind are listed, so that a hostile document cannot make a huge answer."""

EXAMPLE_TIMELINE: dict[str, Any] = {
    "otep_version": OTEP_VERSION,
    "profile": "parcel",
    "subject": {"tracking_number": "HL7XK2M9QA"},
    "events": [
        {
            "occurred_at": "2026-06-09T11:30:00-04:00",
            "status_code": "delivered",
            "source": {"type": "carrier", "name": "Swift Post", "reference": "scan-81"},
            "location": {"city": "Toronto", "country": "CA"},
        }
    ],
}


class ValidateOtepPayload(Request):
    """A timeline, and the further formats its sender serves."""

    raw_text_fields: ClassVar[frozenset[str]] = frozenset({"timeline"})
    timeline: Annotated[JsonValue, Field(examples=[EXAMPLE_TIMELINE])]
    """Timeline that follows the published JSON Schema. For other documents, all errors are returned."""
    projections: Annotated[tuple[ProjectionName, ...], Field(max_length=len(get_args(ProjectionName)))] = ()
    """Further formats in which the sender provides the timeline. Level 2 requires one."""


class ValidationFinding(Answer, omit_defaults=True):
    """A finding in a document."""

    path: Annotated[str, doc("Position as JSONPath (RFC 9535).", "$.events[0].status_code")]
    code: Annotated[str, doc("Stable machine-readable code.", "UNKNOWN_CODE")]
    message: Annotated[str, doc("Description in the caller's language.")]
    hint: Annotated[str | UnsetType, doc("Hint in the caller's language.")] = UNSET


class ConformanceReport(Answer):
    """Conformance of a timeline to the protocol."""

    result: bool = True
    otep_version: Annotated[str, doc("Version of the protocol used for validation.", OTEP_VERSION)] = OTEP_VERSION
    valid: Annotated[bool, doc("True if there are no errors, so that the timeline is accepted.")]
    level: Annotated[int, doc("Conformance level: 0, 1 or 2.", 1)]
    error_count: Annotated[int, doc("Number of errors; the list ends at 500.")]
    warning_count: Annotated[int, doc("Number of warnings; the list ends at 500.")]
    errors: Annotated[list[ValidationFinding], doc("Errors that make the timeline unacceptable.")]
    warnings: Annotated[list[ValidationFinding], doc("Warnings about accepted but probably unintended content.")]
    shortfalls: Annotated[list[ValidationFinding], doc("Reasons why the level is not higher.")]


class OtepVersionRef(Request):
    """A version of the protocol."""

    version: Annotated[str, Field(max_length=20, examples=[OTEP_VERSION])] = OTEP_VERSION
    """A published version; the current one when none is named."""


class CodebookPhase(Answer):
    """A phase: where a parcel is on its journey."""

    phase: Annotated[str, doc("Code of the phase.", "out_for_delivery")]
    address: Annotated[str, doc("Address of the phase.", "otep:phase:out_for_delivery")]
    rank: Annotated[int, doc("Position in the journey, starting at 0.", 4)]
    generic_code: Annotated[str, doc("Default status code of the phase.")]
    description: Annotated[str, doc("Name in the caller's language.")]


class CodebookStatus(Answer):
    """A status code."""

    code: Annotated[str, doc("Code.", "delivered")]
    address: Annotated[str, doc("Address of the phase.", "otep:parcel:delivered")]
    profile: Annotated[str, doc("Profile of the code; codes of `parcel` belong to every profile.", "parcel")]
    phase: Annotated[str, doc("Phase of the code.", "delivered")]
    terminal: Annotated[bool, doc("True if no event can follow.")]
    exception: Annotated[bool, doc("True for a problem within the phase.")]
    pod: Annotated[bool, doc("True if proof of a handover belongs to the event.")]
    description: Annotated[str, doc("Name in the caller's language.")]


class CodebookEntry(Answer):
    """A word of one of the protocol's lists."""

    code: Annotated[str, doc("Code.", "recipient_absent")]
    description: Annotated[str, doc("Name in the caller's language.")]


class OtepCodebook(Answer):
    """The whole vocabulary of the protocol."""

    result: bool = True
    otep_version: Annotated[str, doc("Version of the protocol.", OTEP_VERSION)] = OTEP_VERSION
    phases: Annotated[list[CodebookPhase], doc("Phases in the order of the journey.")]
    profiles: list[CodebookEntry]
    status_codes: list[CodebookStatus]
    incident_reasons: Annotated[list[CodebookEntry], doc("Reasons for incidents.")]
    source_types: Annotated[list[CodebookEntry], doc("Kinds of event sources.")]
    aliases: Annotated[dict[str, str], doc("Accepted synonyms, each with its code.")]
    experimental_prefix: Annotated[str, doc("Prefix of codes that are not registered yet.", "x-")]


class OtepTimelineSchema(Answer):
    """JSON Schema (2020-12) of a timeline, bare, for validators that fetch it."""

    dialect: str = field(name="$schema")
    id: str = field(name="$id")
    title: str
    description: str
    type: str
    required: list[str]
    properties: dict[str, Any]
    any_of: list[dict[str, Any]] = field(name="anyOf")
    all_of: list[dict[str, Any]] = field(name="allOf")
    definitions: dict[str, Any] = field(name="$defs")


class GetOtepGuide(Request):
    """A request for the guide; no fields."""


class OtepGuide(Answer):
    """The guide to the protocol."""

    result: bool = True
    otep_version: Annotated[str, doc("Version of the guide.", OTEP_VERSION)] = OTEP_VERSION
    markdown: Annotated[str, doc("Guide in Markdown, in the caller's language.")]
