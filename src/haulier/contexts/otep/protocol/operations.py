"""Validate a timeline; read the protocol's codebook, schema and guide."""

from msgspec import convert

from haulier.contexts.otep.protocol.contract import (
    ConformanceReport,
    GetOtepGuide,
    OtepCodebook,
    OtepGuide,
    OtepTimelineSchema,
    OtepVersionRef,
    ValidateOtepPayload,
)
from haulier.contexts.otep.protocol.serializers import localize_codebook, localize_report, render_guide
from haulier.contexts.otep.timeline.contract import OTEP_VERSION
from haulier.contexts.otep.validation.rules.validator import validate_timeline
from haulier.contexts.otep.validation.serializers import timeline_schema
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, reads
from haulier.kernel.operations.enums import Account, McpServer
from haulier.kernel.operations.errors import declare_error

UNKNOWN_OTEP_VERSION = declare_error("unknown_otep_version", 404)
DEVELOPER_SERVERS = frozenset({McpServer.DEVELOPER})


@reads(
    "validate_otep_payload",
    audience={Account.PUBLIC},
    interfaces=(
        Rest("POST", "/v1/otep/validate", body="timeline", query=("projections",)),
        GraphQL("otepValidate"),
        Mcp("validate_otep_payload", servers=DEVELOPER_SERVERS, title="Validate an OTEP timeline"),
    ),
    limits=(RateLimit(120, 60, ("address",)),),
    body_limit_bytes=2_097_152,
)
async def validate_otep_payload(call: Call, request: ValidateOtepPayload) -> ConformanceReport:
    """Validate a timeline.

    Returns every error and warning, and the conformance level. Nothing is stored. In the REST API the body is the
    timeline itself, or one event with its `subject`. For any JSON the status is 200 with `valid`, every error and
    warning with its position in the document, and the shortfalls that prevent a higher level.
    """
    report = validate_timeline(request.timeline, projections=request.projections, now=call.now)
    return localize_report(report, call.translate)


@reads(
    "get_otep_codebook",
    audience={Account.PUBLIC},
    interfaces=(
        Rest("GET", "/v1/otep/codebook"),
        Rest("GET", "/v1/otep/codebook/{version}"),
        GraphQL("otepCodebook"),
    ),
    errors=(UNKNOWN_OTEP_VERSION,),
)
async def get_otep_codebook(call: Call, request: OtepVersionRef) -> OtepCodebook:
    """Get the codebook of the protocol.

    Returns every phase, profile, status code, incident reason and source type, in the caller's language.
    """
    _require_published_version(request.version)
    return localize_codebook(call.translate)


@reads(
    "get_otep_schema",
    audience={Account.PUBLIC},
    interfaces=(Rest("GET", "/v1/otep/schema.json"), Rest("GET", "/v1/otep/schema/{version}")),
    errors=(UNKNOWN_OTEP_VERSION,),
)
async def get_otep_schema(call: Call, request: OtepVersionRef) -> OtepTimelineSchema:
    """Get the JSON Schema of a timeline.

    The bare document, for any validator of JSON Schema 2020-12. A single event is described by its definition
    `TrackingEvent`. The schema rejects nothing that the conformance validator accepts. Only the validator checks order,
    copies and the end of a journey.
    """
    _require_published_version(request.version)
    address = f"{call.app.base_url}/api/v1/otep/schema/{request.version}"
    return convert(timeline_schema(address), OtepTimelineSchema)


@reads(
    "get_otep_guide",
    audience={Account.PUBLIC},
    interfaces=(
        Rest("GET", "/v1/otep/guide"),
        Mcp("get_otep_guide", servers=DEVELOPER_SERVERS, title="Get the OTEP guide"),
    ),
)
async def get_otep_guide(call: Call, request: GetOtepGuide) -> OtepGuide:
    """Get the guide to the protocol.

    A short guide in Markdown to reading, pushing and validating timelines, generated from the protocol's own tables.
    """
    return OtepGuide(markdown=render_guide(call.translate, call.app.registry, call.app.base_url))


def _require_published_version(version: str) -> None:
    """Reject a version of the protocol that was never published."""
    if version != OTEP_VERSION:
        raise UNKNOWN_OTEP_VERSION(version=version, supported=OTEP_VERSION)
