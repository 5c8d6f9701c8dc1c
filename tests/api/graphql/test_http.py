"""GraphQL over HTTP: methods, bodies and request errors."""

import json

import pytest
from tests.api.graphql.graphql_client import GraphQLClient, error_code

from haulier.api.graphql.app import GRAPHQL_TYPE, MAX_BODY_BYTES
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

HELLO = '{ greet(name: "Bo") { words } }'
TWO = 'query A { greet(name: "Ann") { words } } query B { greet(name: "Bob") { words } }'
NAMED = "query($who: String!) { greet(name: $who) { words } }"


async def test_a_query_is_accepted_over_get(endpoint: GraphQLClient) -> None:
    answer = await endpoint.http.get("/graphql", params={"query": NAMED, "variables": '{"who": "Bo"}'})
    assert answer.json() == {"data": {"greet": {"words": "hello Bo"}}}


async def test_a_mutation_is_refused_over_get(endpoint: GraphQLClient) -> None:
    mutation = 'mutation A { writeNote(name: "Bo") { words } }'
    for query, name in ((mutation, None), (f"{mutation} query B {HELLO}", "A")):
        params = {"query": query, **({"operationName": name} if name else {})}
        answer = await endpoint.http.get("/graphql", params=params, headers={"authorization": "Bearer admin"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
async def test_other_methods_are_refused(endpoint: GraphQLClient, method: str) -> None:
    answer = await endpoint.http.request(method, "/graphql")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
    assert error_code(answer.json()["errors"][0]) == "METHOD_NOT_ALLOWED"


async def test_the_operation_is_selected_by_name(endpoint: GraphQLClient) -> None:
    assert await endpoint.data(TWO, operationName="B") == {"greet": {"words": "hello Bob"}}


@pytest.mark.parametrize(
    ("query", "body"),
    [
        (TWO, {}),
        (TWO, {"operationName": "C"}),
        (NAMED, {}),
        (NAMED, {"variables": {"who": 5}}),
        (NAMED, {"variables": [1]}),
        (HELLO, {"operationName": 5}),
    ],
)
async def test_an_unexecutable_document_returns_400_with_a_code(
    endpoint: GraphQLClient, query: str, body: dict
) -> None:
    answer = await endpoint.ask(query, **body)
    assert answer.status_code == 400
    assert "data" not in answer.json()
    assert {error_code(error) for error in answer.json()["errors"]} == {"GRAPHQL_INVALID"}


async def test_callers_accepting_plain_json_get_200_for_unexecutable_documents(endpoint: GraphQLClient) -> None:
    for query, body in ((TWO, {}), (NAMED, {"variables": {"who": 5}}), ("{", {}), ("{ nonsense }", {})):
        for accept in ("application/json", "*/*", f"{GRAPHQL_TYPE};q=0.5, application/json"):
            answer = await endpoint.ask(query, headers={"accept": accept}, **body)
            assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
            assert answer.json().keys() == {"errors"}


async def test_the_response_has_the_most_preferred_media_type(endpoint: GraphQLClient) -> None:
    for accept in (GRAPHQL_TYPE, f"application/json;q=0.9, {GRAPHQL_TYPE}", f"text/html, {GRAPHQL_TYPE};charset=utf-8"):
        answer = await endpoint.ask(HELLO, headers={"accept": accept})
        assert (answer.status_code, answer.headers["content-type"]) == (200, GRAPHQL_TYPE)
        assert "Accept" in answer.headers["vary"]
    refused = await endpoint.ask(HELLO, headers={"accept": "text/html"})
    assert (refused.status_code, error_code(refused.json()["errors"][0])) == (406, "NOT_ACCEPTABLE")


async def test_every_document_error_has_its_position_and_one_language(endpoint: GraphQLClient) -> None:
    for language in SUPPORTED_LANGUAGES:
        answer = await endpoint.ask("{ nonsense\n more }", headers={"accept-language": language})
        assert [(error["message"], error["locations"]) for error in answer.json()["errors"]] == [
            ("Cannot query field 'nonsense' on type 'Query'.", [{"line": 1, "column": 3}]),
            ("Cannot query field 'more' on type 'Query'.", [{"line": 2, "column": 2}]),
        ]
        broken = await endpoint.error("{ greet( }", headers={"accept-language": language})
        assert broken["message"] == "Syntax Error: Expected Name, found '}'."
        assert broken["locations"] == [{"line": 1, "column": 10}]


async def test_a_null_argument_is_a_client_error_and_does_not_affect_its_siblings(
    endpoint: GraphQLClient,
) -> None:
    query = 'query($who: String = "Bo") { a: greet(name: $who) { words } b: greet(name: "Cy") { words } }'
    answer = (await endpoint.ask(query, variables={"who": None})).json()
    assert answer["data"] == {"a": None, "b": {"words": "hello Cy"}}
    assert [(error["path"], error_code(error)) for error in answer["errors"]] == [(["a"], "GRAPHQL_INVALID")]


@pytest.mark.parametrize("body", [b"", b"{", b"nope", b"\xff\xfe", b'{"extra":' + b"[" * 100_000])
async def test_invalid_json_is_reported(endpoint: GraphQLClient, body: bytes) -> None:
    answer = await endpoint.http.post("/graphql", content=body)
    assert (answer.status_code, error_code(answer.json()["errors"][0])) == (400, "MALFORMED_JSON")


@pytest.mark.parametrize("body", [[{"query": HELLO}], {"query": 1}, {}, 5, None])
async def test_json_that_is_not_a_graphql_request_is_reported(endpoint: GraphQLClient, body: object) -> None:
    answer = await endpoint.http.post("/graphql", content=json.dumps(body))
    assert (answer.status_code, error_code(answer.json()["errors"][0])) == (400, "GRAPHQL_INVALID")


@pytest.mark.parametrize("variables", ["{", "5", "[]", '"text"'])
async def test_get_variables_must_be_an_object(endpoint: GraphQLClient, variables: str) -> None:
    answer = await endpoint.http.get("/graphql", params={"query": HELLO, "variables": variables})
    assert answer.status_code == 400


async def test_another_media_type_is_refused(endpoint: GraphQLClient) -> None:
    answer = await endpoint.http.post("/graphql", content=HELLO, headers={"content-type": "application/graphql"})
    assert (answer.status_code, error_code(answer.json()["errors"][0])) == (415, "UNSUPPORTED_MEDIA_TYPE")


async def test_an_oversized_body_is_refused(endpoint: GraphQLClient) -> None:
    answer = await endpoint.http.post("/graphql", content=b" " * (MAX_BODY_BYTES + 1))
    assert (answer.status_code, error_code(answer.json()["errors"][0])) == (413, "BODY_TOO_LARGE")


async def test_every_response_states_its_request_id_and_language(endpoint: GraphQLClient) -> None:
    for query in (HELLO, "{ nonsense }"):
        answer = await endpoint.ask(query, headers={"x-request-id": "mine-1", "accept-language": "de"})
        assert (answer.headers["x-request-id"], answer.headers["content-language"]) == ("mine-1", "de")
