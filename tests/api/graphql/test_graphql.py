"""GraphQL API: the same operations, real types, the same codes, and strict limits."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.support.kernel_app import make_app

from haulier.api.graphql.app import graphql_app
from haulier.api.graphql.schema import schema_sdl
from haulier.kernel.data.unit_of_work import Database

ADMIN = {"Authorization": "Bearer admin"}


@pytest.fixture
async def http(database: Database) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=graphql_app(make_app(database)))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def ask(http: httpx.AsyncClient, query: str, headers: dict[str, str] | None = None, **variables: Any) -> Any:
    body = {"query": query, "variables": variables}
    return (await http.post("/graphql", json=body, headers=headers or {})).json()


async def test_a_field_is_an_operation(http: httpx.AsyncClient) -> None:
    answer = await ask(http, "query($n: String!) { greet(name: $n, times: 2) { words } }", n="Bo")
    assert answer == {"data": {"greet": {"words": "hello Bo hello Bo"}}}


async def test_an_error_has_the_codes_of_rest_in_the_callers_language(http: httpx.AsyncClient) -> None:
    answer = await ask(http, '{ greet(name: "x") { words } }', {"Accept-Language": "de"})
    (error,) = answer["errors"]
    assert error["message"] == "Die Anfrage ist ungültig."
    assert (error["extensions"]["code"], error["extensions"]["status"]) == ("INVALID_REQUEST", 422)
    assert error["extensions"]["errors"][0]["field"] == "name"


async def test_a_refused_field_does_not_affect_the_others(http: httpx.AsyncClient) -> None:
    answer = await ask(http, '{ a: greet(name: "Bo") { words } offers { offers { rate_id } } }')
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["UNAUTHENTICATED"]


async def test_a_hidden_price_is_null_and_marked_on_the_record(http: httpx.AsyncClient) -> None:
    query = "{ offers { offers { rate_id amount_minor label_minor price_hidden } } }"
    hidden = await ask(http, query, {"Authorization": "Bearer customer"})
    shown = await ask(http, query, ADMIN)
    assert hidden["data"]["offers"]["offers"] == [
        {"rate_id": "r1", "amount_minor": None, "label_minor": 99, "price_hidden": True}
    ]
    assert shown["data"]["offers"]["offers"][0]["amount_minor"] == 1234


async def test_two_mutations_with_one_key_are_separate_and_both_repeatable(http: httpx.AsyncClient) -> None:
    query = 'mutation { a: writeNote(name: "Bo") { words } b: writeNote(name: "Cy") { words } }'
    first = await ask(http, query, {**ADMIN, "Idempotency-Key": "k"})
    again = await ask(http, query, {**ADMIN, "Idempotency-Key": "k"})
    assert first == again
    assert first["data"]["a"] != first["data"]["b"]


async def test_a_mutation_over_get_is_refused(http: httpx.AsyncClient) -> None:
    query = 'mutation { writeNote(name: "Bo") { words } }'
    assert (await http.get("/graphql", params={"query": query}, headers=ADMIN)).status_code == 405
    assert (await http.get("/graphql", params={"query": '{ greet(name: "Bo") { words } }'})).status_code == 200


async def test_an_invalid_query_is_reported(http: httpx.AsyncClient) -> None:
    nonsense = await ask(http, "{ nothing }")
    assert nonsense["errors"][0]["extensions"]["code"] == "GRAPHQL_INVALID"
    malformed = await http.post("/graphql", content=b"nope")
    assert (malformed.status_code, malformed.json()["errors"][0]["extensions"]["code"]) == (400, "MALFORMED_JSON")


async def test_aliases_and_fragments_do_not_bypass_the_cost_limit(http: httpx.AsyncClient) -> None:
    spread = 'fragment f0 on Query { greet(name: "Bo") { words } }\n'
    for level in range(1, 5):
        inner = " ".join(f"...f{level - 1}" for _ in range(10))
        spread += f"fragment f{level} on Query {{ {inner} }}\n"
    answer = await ask(http, spread + "{ ...f4 }")
    assert answer["errors"][0]["extensions"]["code"] == "GRAPHQL_TOO_COSTLY"


async def test_aliases_alone_do_not_bypass_the_cost_limit(http: httpx.AsyncClient) -> None:
    many = " ".join(f'a{n}: greet(name: "Bo") {{ words }}' for n in range(1_100))
    answer = await ask(http, f"{{ {many} }}")
    assert answer["errors"][0]["extensions"]["code"] in {"GRAPHQL_TOO_COSTLY", "GRAPHQL_INVALID"}
    assert "data" not in answer


async def test_fragments_do_not_bypass_the_depth_limit(http: httpx.AsyncClient) -> None:
    levels = (
        " ".join(f"fragment f{n} on __Type {{ ofType {{ ...f{n + 1} }} }}" for n in range(12))
        + " fragment f12 on __Type { name }"
    )
    answer = await ask(http, f'{levels} {{ __type(name: "PricedOffer") {{ ...f0 }} }}')
    assert answer["errors"][0]["extensions"]["code"] == "GRAPHQL_TOO_DEEP"


async def test_a_document_above_the_depth_limit_is_refused(http: httpx.AsyncClient) -> None:
    deep = "{ __schema { types { fields { type { " + "ofType { " * 12 + "name" + " }" * 12 + " } } } } }"
    answer = await ask(http, deep)
    assert answer["errors"][0]["extensions"]["code"] == "GRAPHQL_TOO_DEEP"


def test_the_schema_has_types_and_descriptions(database: Database) -> None:
    text = schema_sdl(make_app(database).registry)
    assert "type PricedOffer {" in text
    assert "amount_minor: Long" in text
    assert '"""What was said."""' in text
