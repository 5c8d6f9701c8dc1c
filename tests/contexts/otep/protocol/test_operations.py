"""Protocol documentation on every interface: validator, codebook, schema, guide."""

import json
from typing import Any, get_args

import httpx
import jsonschema
from msgspec.structs import replace
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.contexts.otep.posted_documents import posted_codes, posted_event, posted_timeline
from tests.contexts.tracking.timelines.factories import NUMBER, make_delivery, record_counting_statements
from tests.support.app import App

from haulier.contexts.otep.projections import FORMATS, NATIVE_FORMAT
from haulier.contexts.otep.protocol.contract import EXAMPLE_TIMELINE, FINDINGS_LISTED_MAX, ProjectionName
from haulier.contexts.otep.timeline.contract import OTEP_VERSION
from haulier.contexts.otep.vocabulary.rules import INCIDENT_REASONS, PHASE_RANK, PROFILES, STATUS_CODES
from haulier.contexts.tracking.public import NewEvent, ProofOfDelivery

VALIDATE = "/v1/otep/validate"


def make_day() -> list[NewEvent]:
    """A parcel's day with everything that an event can carry."""
    proof = ProofOfDelivery(recipient="Ms Roy", signature_url="https://files.example/1.png")
    *carried, last = make_delivery(order_id=4, raw_status="7")
    return [*carried, replace(last, pod=proof)]


async def validated(app: App, document: Any, query: str = "", **headers: str) -> dict[str, Any]:
    """Return the validator's REST response to a timeline as the body."""
    answer = await app.rest(None, "POST", f"{VALIDATE}{query}", document, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_bare_timeline_is_accepted_and_validated(app: App) -> None:
    assert await validated(app, posted_codes("picked_up", "delivered")) == {
        "result": True,
        "otep_version": OTEP_VERSION,
        "valid": True,
        "level": 1,
        "error_count": 0,
        "warning_count": 0,
        "errors": [],
        "warnings": [],
        "shortfalls": [
            {
                "path": "$",
                "code": "NO_PROJECTION",
                "message": "No projection to another standard is named. Level 2 needs one.",
            }
        ],
    }


async def test_every_finding_has_a_position_code_text_and_hint(app: App) -> None:
    answer = await validated(app, posted_timeline(posted_event("delivred"), posted_event("sorted", 1, mood="good")))
    assert (answer["valid"], answer["level"]) == (False, 0)
    assert answer["errors"] == [
        {
            "path": "$.events[0].status_code",
            "code": "UNKNOWN_CODE",
            "message": "Unknown status code delivred in the profile parcel.",
            "hint": "Did you mean delivered?",
        }
    ]
    assert [(each["path"], each["code"]) for each in answer["warnings"]] == [("$.events[1].mood", "UNKNOWN_FIELD")]
    assert [each["code"] for each in answer["shortfalls"]] == ["HAS_ERRORS"]


MISSING = {
    "en": "The field subject is missing.",
    "de": "Das Feld subject fehlt.",
    "fr": "Le champ subject est manquant.",
    "es": "Falta el campo subject.",
    "zh-CN": "缺少字段 subject。",
    "zh-TW": "缺少欄位 subject。",
}


async def test_findings_are_in_the_callers_language(app: App) -> None:
    for language, message in MISSING.items():
        answer = await validated(app, {"events": [posted_event()]}, **{"Accept-Language": language})
        assert answer["errors"][0]["message"] == message


async def test_naming_a_projection_reaches_level_2(app: App) -> None:
    for query in ("?projections=epcis", "?projections=epcis,otlp", "?projections=epcis&projections=otlp"):
        assert (await validated(app, posted_codes("delivered"), query))["level"] == 2


async def test_an_unknown_projection_is_a_validation_error(app: App) -> None:
    answer = await app.rest(None, "POST", f"{VALIDATE}?projections=telex", posted_codes("delivered"))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "projections.0")


def test_the_projections_are_all_formats_except_the_native_one() -> None:
    assert set(get_args(ProjectionName)) == FORMATS.keys() - {NATIVE_FORMAT}


ODD_JSON = (
    *("{}", "[]", "null", "3", '"x"', "1e999", "[1e999]", '{"a":1,"a":2}', " {} \n", "[" * 150 + "]" * 150),
    *('{"subject":{"order_id":' + "9" * 400 + "}}", '{"events":{"0":[]}}', '{"timeline":{}}', '{"\\u0000":[]}'),
)
NO_JSON = (
    *(b"{", b"NaN", b'{"events":NaN}', b'{},"projections":["epcis"]', b"{}{}", b"'x'", b'"\xff"', b'"\\ud800"'),
    *(b"[" * 5000 + b"]" * 5000, b"\xef\xbb\xbf{}"),
)


async def test_any_json_document_gets_a_validation_result(app: App) -> None:
    for body in ODD_JSON:
        answer = await post(app, body.encode())
        assert (answer.status_code, answer.json()["valid"]) == (200, False), (body, answer.text)
        assert answer.json()["errors"], body


async def test_invalid_json_is_refused_as_in_other_operations(app: App) -> None:
    for body in NO_JSON:
        answer = await post(app, body)
        assert (answer.status_code, answer.json()["code"]) == (400, "MALFORMED_JSON"), body


async def test_an_empty_or_oversized_body_is_refused_as_in_other_operations(app: App) -> None:
    assert (await post(app, b"")).json()["errors"][0] == {
        "field": "timeline",
        "code": "MISSING",
        "message": "This field is required.",
    }
    assert (await post(app, b" " * 2_097_153)).status_code == 413


async def post(app: App, body: bytes) -> httpx.Response:
    return await app.http.post(f"/api{VALIDATE}", content=body, headers={"Content-Type": "application/json"})


async def test_a_hostile_document_gets_a_bounded_response(app: App) -> None:
    answer = await validated(app, posted_timeline(*({"k": 1} for _ in range(1000))))
    assert (answer["error_count"], answer["warning_count"]) == (2000, 1000)
    assert (len(answer["errors"]), len(answer["warnings"])) == (FINDINGS_LISTED_MAX, FINDINGS_LISTED_MAX)


async def test_our_own_responses_are_valid_when_posted_back(app: App) -> None:
    await record_counting_statements(app, *make_day())
    app.clock.forward(days=1)
    for who in (None, "admin"):
        timeline = (await app.rest(who, "GET", f"/v1/otep/trackings/{NUMBER}")).json()["data"]
        verdict = await validated(app, timeline, "?projections=epcis")
        assert (verdict["errors"], verdict["level"]) == ([], 2)


async def test_graphql_takes_the_timeline_as_an_argument(app: App) -> None:
    query = """query ($it: JSON!) {
        otepValidate(timeline: $it, projections: [epcis]) { valid level errors { path code message hint } }
    }"""
    body = {"query": query, "variables": {"it": posted_timeline(posted_event(occurred_at="noon"))}}
    told_back = (await app.http.post("/graphql", json=body)).json()["data"]["otepValidate"]
    assert (told_back["valid"], told_back["level"]) == (False, 0)
    assert told_back["errors"][0]["path"] == "$.events[0].occurred_at"


async def test_developer_agents_have_the_validator_and_the_guide_as_tools(app: App) -> None:
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        servers = McpClient(base, http)
        there = {"path": "/mcp/developer"}
        assert {"validate_otep_payload", "get_otep_guide"} <= set(await servers.names(**there))
        assert not {"validate_otep_payload", "get_otep_guide"} & set(await servers.names())
        arguments = {"timeline": posted_codes("delivered"), "projections": ["otlp"]}
        result = await servers.call("validate_otep_payload", arguments, **there)
        assert (result["isError"], result["structuredContent"]["level"]) == (False, 2)
        for odd in ([], "text", 10**30, None):
            result = await servers.call("validate_otep_payload", {"timeline": odd}, **there)
            assert result["structuredContent"]["errors"][0]["code"] == "WRONG_TYPE"
        guide = await servers.call("get_otep_guide", **there)
        assert guide["structuredContent"]["markdown"].startswith(f"# OTEP {OTEP_VERSION}")


async def test_a_codebook_version_can_be_given_in_the_path_or_the_query(app: App) -> None:
    book = (await app.rest(None, "GET", "/v1/otep/codebook")).json()
    for version in (f"/{OTEP_VERSION}", f"?version={OTEP_VERSION}"):
        assert (await app.rest(None, "GET", f"/v1/otep/codebook{version}")).json() == book


async def test_the_codebook_contains_the_whole_vocabulary(app: App) -> None:
    book = (await app.rest(None, "GET", "/v1/otep/codebook")).json()
    assert (book["result"], book["otep_version"], book["experimental_prefix"]) == (True, OTEP_VERSION, "x-")
    assert [(each["phase"], each["rank"]) for each in book["phases"]] == list(PHASE_RANK.items())
    assert [each["code"] for each in book["status_codes"]] == [row.code for row in STATUS_CODES]
    assert [each["code"] for each in book["profiles"]] == list(PROFILES)
    assert [each["code"] for each in book["incident_reasons"]] == list(INCIDENT_REASONS)
    assert book["aliases"]["return_to_sender"] == "returned"
    delivered = next(each for each in book["status_codes"] if each["code"] == "delivered")
    assert delivered == {
        "code": "delivered",
        "address": "otep:parcel:delivered",
        "profile": "parcel",
        "phase": "delivered",
        "terminal": True,
        "exception": False,
        "pod": True,
        "description": "Delivered",
    }


async def test_the_codebook_is_in_the_callers_language(app: App) -> None:
    book = (await app.rest(None, "GET", "/v1/otep/codebook", headers={"Accept-Language": "de"})).json()
    assert {each["code"]: each["description"] for each in book["status_codes"]}["lost"] == "Verloren"
    assert book["source_types"][0] == {"code": "self_delivery", "description": "Eigene Zustellung"}


async def test_an_unpublished_version_is_not_found(app: App) -> None:
    for path in ("codebook/9.9.9", "schema/9.9.9", "codebook/latest", "schema.json?version=1.0.0"):
        answer = await app.rest(None, "GET", f"/v1/otep/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "UNKNOWN_OTEP_VERSION")
        assert OTEP_VERSION in answer.json()["message"]


async def test_the_schema_is_served_at_its_own_identifier(app: App) -> None:
    schema = (await app.rest(None, "GET", "/v1/otep/schema.json")).json()
    assert (await app.http.get(schema["$id"])).json() == schema
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    assert check.is_valid(EXAMPLE_TIMELINE)
    assert not check.is_valid({**EXAMPLE_TIMELINE, "events": [{}]})


async def test_served_documents_match_the_published_schema(app: App) -> None:
    await record_counting_statements(app, *make_day())
    schema = (await app.rest(None, "GET", "/v1/otep/schema.json")).json()
    for who in (None, "admin"):
        timeline = (await app.rest(who, "GET", f"/v1/otep/trackings/{NUMBER}")).json()["data"]
        jsonschema.Draft202012Validator(schema).validate(timeline)


async def test_the_guide_lists_every_code_format_and_address_and_its_example_is_valid(app: App) -> None:
    answer = (await app.rest(None, "GET", "/v1/otep/guide")).json()
    text: str = answer["markdown"]
    assert all(f"`{row.code}`" in text for row in STATUS_CODES)
    assert all(f"`{name}`: {format.title}" in text for name, format in FORMATS.items())
    addresses = [line.split("`")[1].split() for line in text.splitlines() if line.startswith(("- `GET", "- `POST"))]
    assert ["POST", "http://test/api/v1/otep/validate"] in addresses
    example = json.loads(text.split("```json\n")[1].split("```")[0])
    verdict = await validated(app, example)
    assert (verdict["errors"], verdict["warnings"], verdict["level"]) == ([], [], 1)


async def test_the_guide_is_in_the_callers_language(app: App) -> None:
    guide = (await app.rest(None, "GET", "/v1/otep/guide", headers={"Accept-Language": "es"})).json()
    assert "## El recorrido" in guide["markdown"]


async def test_the_validator_is_rate_limited_per_address_and_uses_no_tables(app: App) -> None:
    before = app.statements
    await validated(app, posted_codes("delivered"))
    assert app.statements == before
    limits = app.application.registry["validate_otep_payload"].limits
    assert [limit.by for limit in limits] == [("address",)]
