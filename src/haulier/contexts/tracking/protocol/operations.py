"""Validate a timeline; read the protocol's codebook, schema and guide."""

from msgspec import convert

from haulier.contexts.tracking.otep.model import OTEP_VERSION
from haulier.contexts.tracking.otep.rules.validate import validate
from haulier.contexts.tracking.otep.schema import timeline_schema
from haulier.contexts.tracking.protocol.contract import (
    Codebook,
    Conformance,
    GetOtepGuide,
    Guide,
    OfVersion,
    TimelineSchema,
    ValidateOtepPayload,
)
from haulier.contexts.tracking.protocol.guide import guide
from haulier.contexts.tracking.protocol.wording import codebook, conformance
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Server
from haulier.kernel.errors import problem
from haulier.kernel.operation import GraphQL, Limit, Mcp, Rest, reads

UNKNOWN_OTEP_VERSION = problem("unknown_otep_version", 404)
DEVELOPERS = frozenset({Server.DEVELOPER})


@reads(
    "validate_otep_payload",
    audience={Account.PUBLIC},
    doors=(
        Rest("POST", "/v1/otep/validate", body="timeline", query=("projections",)),
        GraphQL("otepValidate"),
        Mcp("validate_otep_payload", servers=DEVELOPERS, title="Validate an OTEP timeline"),
    ),
    limits=(Limit(120, 60, ("address",)),),
    body_limit_bytes=2_097_152,
)
async def validate_otep_payload(call: Call, request: ValidateOtepPayload) -> Conformance:
    """Everything that is wrong with a timeline of yours, and the conformance level that it reaches. Nothing is stored.

    At the REST door the body is the timeline itself. Whatever JSON it is, the answer is 200 with `valid`, every error and
    warning with its place in the document, and the shortfalls that keep it from a higher level.
    """
    return conformance(validate(request.timeline, projections=request.projections), call.say)


@reads(
    "get_otep_codebook",
    audience={Account.PUBLIC},
    doors=(
        Rest("GET", "/v1/otep/codebook"),
        Rest("GET", "/v1/otep/codebook/{version}"),
        GraphQL("otepCodebook"),
    ),
    errors=(UNKNOWN_OTEP_VERSION,),
)
async def get_otep_codebook(call: Call, request: OfVersion) -> Codebook:
    """Every phase, profile, status code, incident reason and source type of the protocol, in the caller's language."""
    _known(request.version)
    return codebook(call.say)


@reads(
    "get_otep_schema",
    audience={Account.PUBLIC},
    doors=(Rest("GET", "/v1/otep/schema.json"), Rest("GET", "/v1/otep/schema/{version}")),
    errors=(UNKNOWN_OTEP_VERSION,),
)
async def get_otep_schema(call: Call, request: OfVersion) -> TimelineSchema:
    """The JSON Schema of a timeline: the bare document, ready for any validator of JSON Schema 2020-12.

    It refuses nothing that the conformance validator takes. Order, copies and the end of a journey only that one can tell.
    """
    _known(request.version)
    address = f"{call.house.base_url}/api/v1/otep/schema/{request.version}"
    return convert(timeline_schema(address), TimelineSchema)


@reads(
    "get_otep_guide",
    audience={Account.PUBLIC},
    doors=(
        Rest("GET", "/v1/otep/guide"),
        Mcp("get_otep_guide", servers=DEVELOPERS, title="Guide to OTEP"),
    ),
)
async def get_otep_guide(call: Call, request: GetOtepGuide) -> Guide:
    """How to read, push and validate timelines: a short guide in Markdown, made from the protocol's own tables."""
    return Guide(markdown=guide(call.say, call.house.registry, call.house.base_url))


def _known(version: str) -> None:
    """Refuse a version of the protocol that was never published."""
    if version != OTEP_VERSION:
        raise UNKNOWN_OTEP_VERSION(version=version, supported=OTEP_VERSION)
