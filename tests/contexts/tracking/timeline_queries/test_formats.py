"""The fifteen timeline formats over REST: by query, by Accept, and headers."""

import re
from typing import Any

import msgspec
import pytest
from tests.contexts.tracking.timelines.factories import NUMBER, make_delivery, record_counting_statements
from tests.support.app import App

from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.public import FormatName

PATH = f"/v1/otep/trackings/{NUMBER}"
OTHERS = [name for name in FORMATS if name != "otep"]


@pytest.fixture
async def told(app: App) -> App:
    await record_counting_statements(app, *make_delivery())
    return app


def accept(words: str) -> dict[str, Any]:
    return {"headers": {"Accept": words}}


def test_every_format_can_be_requested_by_name() -> None:
    assert FormatName.__args__ == tuple(FORMATS)


async def test_the_native_timeline_is_the_default(told: App) -> None:
    answer = (await told.rest(None, "GET", PATH)).json()
    assert (answer["result"], answer["format"], answer["data"]["current_status"]) == (True, "otep", "delivered")


@pytest.mark.parametrize("name", OTHERS)
async def test_a_format_requested_in_the_query_is_returned_in_the_envelope(told: App, name: str) -> None:
    response = await told.rest(None, "GET", PATH, params={"format": name})
    answer = response.json()
    assert (answer["result"], answer["format"], response.headers["content-type"]) == (True, name, "application/json")
    assert answer["data"] != (await told.rest(None, "GET", PATH)).json()["data"]


@pytest.mark.parametrize("name", list(FORMATS))
async def test_a_format_requested_by_profile_is_returned_bare_with_its_media_type(told: App, name: str) -> None:
    form = FORMATS[name]
    response = await told.rest(None, "GET", PATH, **accept(f'{form.media_type}; profile="otep:format:{name}"'))
    enveloped = (await told.rest(None, "GET", PATH, params={"format": name})).json()
    assert response.headers["content-type"].startswith(form.media_type)
    assert response.json() == enveloped["data"]


async def test_every_url_in_every_format_resolves(told: App) -> None:
    base = told.application.base_url
    addresses: set[str] = set()
    for name in OTHERS:
        addresses |= set(
            re.findall(
                rf'"({re.escape(base)}/[^"]*)"', (await told.rest(None, "GET", PATH, params={"format": name})).text
            )
        )
    assert addresses
    statuses = {address: (await told.http.get(address.removeprefix(base))).status_code for address in addresses}
    assert set(statuses.values()) == {200}, statuses


async def test_graphql_supports_every_format(told: App) -> None:
    query = f'{{ otepTrackingDocument(tracking_number: "{NUMBER}", format: epcis) {{ format data }} }}'
    answer = (await told.http.post("/graphql", json={"query": query})).json()
    rest = (await told.rest(None, "GET", PATH, params={"format": "epcis"})).json()
    assert answer == {"data": {"otepTrackingDocument": {"format": "epcis", "data": rest["data"]}}}


async def test_unknown_numbers_in_a_batch_are_reported_beside_the_results(told: App) -> None:
    batch = await told.answer(None, "otep_trackings_batch", {"tracking_numbers": ["NOBODY", NUMBER]})
    assert [(error.tracking_number, error.code) for error in batch.errors] == [("NOBODY", "NOT_FOUND")]
    assert (batch.found, batch.errors[0].message) == (1, batch.trackings[0].message)


async def test_the_query_takes_precedence_over_the_accept_header(told: App) -> None:
    epcis = FORMATS["epcis"]
    answer = await told.rest(None, "GET", PATH, params={"format": "otlp"}, **accept(epcis.media_type))
    assert answer.json()["format"] == "otlp"


async def test_the_most_preferred_format_is_returned(told: App) -> None:
    wanted = 'application/json;profile="otep:format:shopify";q=0.4, application/ld+json;q=0.9, application/json;q=0.5'
    response = await told.rest(None, "GET", PATH, **accept(wanted))
    assert response.headers["content-type"].startswith("application/ld+json")
    assert response.json()["type"] == "EPCISDocument"


@pytest.mark.parametrize("options", ["*/*", "application/*", "text/html, */*;q=0.1", "application/json;q=0.5", ""])
async def test_callers_accepting_anything_get_the_native_timeline(told: App, options: str) -> None:
    assert (await told.rest(None, "GET", PATH, **accept(options))).json()["format"] == "otep"


@pytest.mark.parametrize(
    "words", ["text/html", "application/json;q=0", 'application/json;profile="unknown"', "nonsense"]
)
async def test_an_unsupported_format_is_refused_with_the_supported_ones(told: App, words: str) -> None:
    response = await told.rest(None, "GET", PATH, **accept(words))
    assert (response.status_code, response.json()["code"]) == (406, "NOT_ACCEPTABLE")
    assert all(form.media_type in response.json()["message"] for form in FORMATS.values())


async def test_an_unknown_format_in_the_query_is_reported(told: App) -> None:
    response = await told.rest(None, "GET", PATH, params={"format": "pigeon"})
    assert (response.status_code, response.json()["errors"][0]["field"]) == (422, "format")


@pytest.mark.parametrize("name", list(FORMATS))
async def test_no_format_shows_personal_data_to_the_public(told: App, name: str) -> None:
    document = (await told.rest(None, "GET", PATH, params={"format": name})).text
    assert [word for word in ("Birch", "Roy", "signature", "photo", "dog", "43.65") if word in document] == []


async def test_mcp_tools_return_the_same_document(told: App) -> None:
    outcome = await told.answer(None, "otep_tracking", {"tracking_number": NUMBER, "format": "onerecord"})
    rest = (await told.rest(None, "GET", PATH, params={"format": "onerecord"})).json()
    assert msgspec.to_builtins(outcome)["data"] == rest["data"]


BATCH = "/v1/otep/trackings/batch"
NUMBERS = {"tracking_numbers": [NUMBER, "NOBODY"]}


async def test_a_batch_uses_the_format_of_the_query_header_or_body(told: App) -> None:
    single = (await told.rest(None, "GET", PATH, params={"format": "epcis"})).json()["data"]
    for answer in (
        await told.rest(None, "POST", BATCH, NUMBERS, params={"format": "epcis"}),
        await told.rest(None, "POST", BATCH, {**NUMBERS, "format": "epcis"}),
        await told.rest(None, "POST", BATCH, {**NUMBERS, "format": "otlp"}, params={"format": "epcis"}),
    ):
        assert (answer.json()["format"], answer.json()["trackings"][0]["data"]) == ("epcis", single)
    bare = await told.rest(None, "POST", BATCH, NUMBERS, **accept(FORMATS["epcis"].media_type))
    assert bare.headers["content-type"].startswith("application/ld+json")
    assert bare.json() == [single, None]


async def test_an_event_list_uses_the_format_of_the_query_or_header(told: App) -> None:
    enveloped = (await told.rest(None, "GET", f"{PATH}/events", params={"format": "epcis", "limit": 2})).json()
    assert (enveloped["format"], enveloped["events"], enveloped["more"]) == ("epcis", [], True)
    assert len(enveloped["data"]["epcisBody"]["eventList"]) == 2
    bare = await told.rest(None, "GET", f"{PATH}/events", params={"limit": 2}, **accept("application/ld+json"))
    assert bare.json() == enveloped["data"]
    native = await told.rest(
        None, "GET", f"{PATH}/events", **accept('application/json; profile="otep:format:otep", text/html;q=0.1')
    )
    assert native.json() == (await told.rest(None, "GET", f"{PATH}/events")).json()["events"]


async def test_unsupported_formats_are_refused_for_batches_and_events(told: App) -> None:
    for response in (
        await told.rest(None, "POST", BATCH, NUMBERS, **accept("text/html")),
        await told.rest(None, "GET", f"{PATH}/events", **accept("text/html")),
    ):
        assert (response.status_code, response.json()["code"]) == (406, "NOT_ACCEPTABLE")
        assert all(form.media_type in response.json()["message"] for form in FORMATS.values())


async def test_every_listed_event_includes_its_subject_and_can_be_posted_back(told: App) -> None:
    told.clock.forward(days=1)
    events = (await told.rest(None, "GET", f"{PATH}/events")).json()["events"]
    assert {event["subject"]["tracking_number"] for event in events} == {NUMBER}
    for event in events:
        report = (await told.rest(None, "POST", "/v1/otep/validate", event)).json()
        assert report["errors"] == []
