"""Calls over GraphQL: the same responses and errors as on the other interfaces."""

import pytest
from sqlalchemy import func, select
from tests.api.graphql.graphql_client import GraphQLClient, error_code
from tests.api.sample_app import PARCELS

from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.pipeline.audit import audit_entries

EVERYTHING = """{ parcels { result total page per_page parcels {
    id speed stage pieces sent_at due colour facts note sellerName
    packed { __typename ... on Box { sides } ... on Tube { length_mm } } } } }"""
NOTE = 'writeNote(name: "Bo") { words }'


async def audit_rows(application: Application) -> int:
    async with application.database.read(None) as work:
        return await work.value(select(func.count()).select_from(audit_entries))


async def test_a_response_has_the_same_values_as_at_other_interfaces(endpoint: GraphQLClient) -> None:
    page = (await endpoint.data(EVERYTHING))["parcels"]
    packed = [{"__typename": "Box", "sides": 6}, {"__typename": "Tube", "length_mm": 900}]
    told = [
        {"note": None, **codec.to_plain_values(parcel), "packed": box}
        for parcel, box in zip(PARCELS, packed, strict=True)
    ]
    assert page == {"result": True, "total": 2, "page": 1, "per_page": 50, "parcels": told}


async def test_arguments_are_read_from_literals_and_variables(endpoint: GraphQLClient) -> None:
    literal = """mutation { sendParcel(to: {street: "Rue 1", floor: -2}, weight_g: 9007199254740991, speed: fast,
        wrap: foil, pick_up_at: "2026-06-10T12:00:00Z", notes: ["a"]) { told } }"""
    variables = {
        "to": {"street": "Rue 1", "floor": -2},
        "weight_g": 9007199254740991,
        "speed": "fast",
        "wrap": "foil",
        "pick_up_at": "2026-06-10T12:00:00Z",
        "notes": ["a"],
    }
    signature = "$to: PlaceInput!, $w: Long!, $s: Speed, $x: SendParcelWrap, $p: DateTime, $n: [String!]"
    named = f"""mutation({signature})
        {{ sendParcel(to: $to, weight_g: $w, speed: $s, wrap: $x, pick_up_at: $p, notes: $n) {{ told }} }}"""
    given = dict(zip(["to", "w", "s", "x", "p", "n"], variables.values(), strict=True))
    first = (await endpoint.data(literal))["sendParcel"]["told"]
    assert first == variables == (await endpoint.data(named, variables=given))["sendParcel"]["told"]


async def test_an_omitted_field_stays_omitted(endpoint: GraphQLClient) -> None:
    answer = await endpoint.data('mutation { sendParcel(to: {street: "x"}, weight_g: 1) { told } }')
    assert answer["sendParcel"]["told"] == {"to": {"street": "x"}, "weight_g": 1}


async def test_hidden_prices_are_null_and_marked_on_the_record(endpoint: GraphQLClient) -> None:
    answer = await endpoint.data("{ offers { offers { rate_id amount_minor label_minor price_hidden } } }", "customer")
    assert answer["offers"]["offers"] == [
        {"rate_id": "r1", "amount_minor": None, "label_minor": 99, "price_hidden": True}
    ]


class TestRefusals:
    @pytest.mark.parametrize(
        ("query", "who", "expected"),
        [
            ("{ parcels { total } }", None, ("UNAUTHENTICATED", 401)),
            ("{ parcels { total } }", "stranger", ("INVALID_TOKEN", 401)),
            ("{ parcels { total } }", "driver", ("ACCOUNT_NOT_ALLOWED", 403)),
            (f"mutation {{ {NOTE} }}", "reader", ("SCOPE_MISSING", 403)),
            ("{ findNothing { result } }", None, ("NOT_FOUND", 404)),
        ],
    )
    async def test_an_error_has_the_code_and_status_of_rest(
        self, endpoint: GraphQLClient, query: str, who: str | None, expected: tuple[str, int]
    ) -> None:
        error = await endpoint.error(query, who, headers={"x-request-id": "r-1"})
        assert (error_code(error), error["extensions"]["status"]) == expected
        assert error["extensions"]["request_id"] == "r-1"

    async def test_every_error_of_a_request_is_listed(self, endpoint: GraphQLClient) -> None:
        error = await endpoint.error('{ greet(name: "x", times: 9) { words } }')
        assert error_code(error) == "INVALID_REQUEST"
        found = {(fault["field"], fault["code"]) for fault in error["extensions"]["errors"]}
        assert found == {("name", "STRING_TOO_SHORT"), ("times", "LESS_THAN_EQUAL")}

    async def test_messages_are_in_the_callers_language(
        self, endpoint: GraphQLClient, application: Application
    ) -> None:
        answer = await endpoint.ask("{ findNothing { result } }", headers={"accept-language": "zh-TW"})
        record = application.catalogues.translate("zh-Hant", "record.any")
        words = application.catalogues.translate("zh-Hant", "not_found", record=record)
        assert answer.json()["errors"][0]["message"] == words
        assert answer.headers["content-language"] == "zh-Hant"

    async def test_a_refused_field_does_not_affect_its_siblings(self, endpoint: GraphQLClient) -> None:
        answer = (await endpoint.ask('{ a: findNothing { result } b: greet(name: "Bo") { words } }')).json()
        assert answer["data"] == {"a": None, "b": {"words": "hello Bo"}}
        assert answer["errors"][0]["path"] == ["a"]

    async def test_an_internal_error_hides_its_cause(self, endpoint: GraphQLClient) -> None:
        error = await endpoint.error("{ breakDown { result } }")
        assert (error_code(error), error["extensions"]["status"]) == ("INTERNAL_ERROR", 500)
        assert "secret" not in str(error)
        assert "Zero" not in str(error)

    async def test_an_unknown_profile_refuses_the_whole_document(self, endpoint: GraphQLClient) -> None:
        answer = await endpoint.ask("{ a: parcels { total } b: parcels { total } }", headers={"x-mcp-profile": "root"})
        assert answer.status_code == 422
        assert [error_code(error) for error in answer.json()["errors"]] == ["UNKNOWN_PROFILE"]

    async def test_connection_scopes_narrow_the_token(self, endpoint: GraphQLClient) -> None:
        error = await endpoint.error(f"mutation {{ {NOTE} }}", headers={"x-mcp-scopes": "orders:read"})
        assert error_code(error) == "SCOPE_NARROWED"

    async def test_an_exhausted_limit_returns_a_retry_after_header(self, endpoint: GraphQLClient) -> None:
        answer = await endpoint.ask("{ a: hurry { result } b: hurry { result } }")
        assert [error_code(error) for error in answer.json()["errors"]] == ["RATE_LIMITED"]
        assert 1 <= int(answer.headers["retry-after"]) <= 61


class TestOrder:
    async def test_query_fields_run_concurrently(self, endpoint: GraphQLClient) -> None:
        answer = await endpoint.data("{ a: meet { result } b: meet { result } }")
        assert answer == {"a": {"result": True}, "b": {"result": True}}

    async def test_mutations_run_in_document_order(self, endpoint: GraphQLClient, application: Application) -> None:
        names = [f"n{at}" for at in range(6)]
        fields = " ".join(f'{name}: writeNote(name: "{name}") {{ words }}' for name in names)
        await endpoint.data(f"mutation {{ {fields} }}")
        async with application.database.read(None) as work:
            written = await work.all(select(audit_entries.c.request).order_by(audit_entries.c.id))
        assert [row.request["name"] for row in written] == names


class TestDryRun:
    async def test_a_dry_run_shows_response_and_emails_without_effect(
        self, endpoint: GraphQLClient, application: Application
    ) -> None:
        query = 'mutation { go: sendParcel(to: {street: "x"}, weight_g: 1) { told } }'
        answer = (await endpoint.ask(query, headers={"x-dry-run": "1"})).json()
        assert answer["data"]["go"]["told"]["weight_g"] == 1
        assert answer["extensions"]["dry_run"] is True
        assert [letter["kind"] for letter in answer["extensions"]["side_effects"]["go"]] == ["text.customer"]
        assert await audit_rows(application) == 0

    async def test_a_real_run_has_no_extensions(self, endpoint: GraphQLClient, application: Application) -> None:
        answer = (await endpoint.ask(f"mutation {{ {NOTE} }}")).json()
        assert "extensions" not in answer
        assert await audit_rows(application) == 1


async def test_a_write_waiting_for_approval_returns_its_number(
    endpoint: GraphQLClient, application: Application
) -> None:
    query = 'mutation { sendParcel(to: {street: "x"}, weight_g: 1) { told } }'
    error = await endpoint.error(query, headers={"x-mcp-require-approval": "1"})
    assert (error_code(error), error["extensions"]["status"]) == ("APPROVAL_QUEUED", 202)
    assert error["extensions"]["approval"] == {"id": 1, "operation": "send_parcel"}
    assert error["message"] == application.catalogues.translate("en", "approval_queued", id=1)


async def test_a_write_that_does_not_wait_says_so_in_a_header(endpoint: GraphQLClient) -> None:
    answer = await endpoint.ask(f"mutation {{ {NOTE} }}", headers={"x-require-approval": "1"})
    assert answer.headers["x-approval"] == "not-required"
    assert "x-approval" not in (await endpoint.ask(f"mutation {{ {NOTE} }}")).headers


class TestIdempotency:
    async def test_the_same_key_returns_the_first_response(
        self, endpoint: GraphQLClient, application: Application
    ) -> None:
        key = {"idempotency-key": "k" * 255}
        first = await endpoint.ask(f"mutation {{ {NOTE} }}", headers=key)
        again = await endpoint.ask(f"mutation {{ {NOTE} }}", headers=key)
        assert first.json() == again.json()
        assert "idempotency-replayed" not in first.headers
        assert again.headers["idempotency-replayed"] == "true"
        assert await audit_rows(application) == 1

    @pytest.mark.parametrize("key", ["k", "k" * 255])
    async def test_several_writes_in_one_document_have_separate_keys(
        self, endpoint: GraphQLClient, application: Application, key: str
    ) -> None:
        query = 'mutation { a: writeNote(name: "Ann") { words } b: writeNote(name: "Bob") { words } }'
        first = await endpoint.data(query, headers={"idempotency-key": key})
        again = await endpoint.data(query, headers={"idempotency-key": key})
        assert first == again
        assert first["a"] != first["b"]
        assert await audit_rows(application) == 2

    async def test_a_root_fragment_does_not_hide_several_writes(self, endpoint: GraphQLClient) -> None:
        query = """mutation { ...Both } fragment Both on Mutation {
            a: writeNote(name: "Ann") { words } b: writeNote(name: "Bob") { words } }"""
        answer = await endpoint.data(query, headers={"idempotency-key": "k"})
        assert answer["a"]["words"].startswith("Ann")
        assert answer["b"]["words"].startswith("Bob")

    @pytest.mark.parametrize("key", ["", "x" * 256, "\x01"])
    async def test_an_unstorable_key_is_refused(self, endpoint: GraphQLClient, key: str) -> None:
        one = await endpoint.error(f"mutation {{ {NOTE} }}", headers={"idempotency-key": key})
        assert error_code(one) == "IDEMPOTENCY_KEY_INVALID"
        both = await endpoint.ask(f"mutation {{ a: {NOTE} b: {NOTE} }}", headers={"idempotency-key": key})
        assert {error_code(error) for error in both.json()["errors"]} == {"IDEMPOTENCY_KEY_INVALID"}
