"""Limits of documents: depth and cost in any notation."""

import pytest
from graphql import get_introspection_query, parse
from hypothesis import given
from hypothesis import strategies as st
from tests.api.graphql.graphql_client import GraphQLClient, error_code
from tests.api.sample_app import OPERATIONS

from haulier.api.graphql.document_cache import MAX_DOCUMENT_CHARACTERS, MAX_DOCUMENT_TOKENS, DocumentCache
from haulier.api.graphql.limits import MAX_COST, MAX_DEPTH, OPERATION_COST, measure_document
from haulier.api.graphql.schema import build_schema
from haulier.kernel.operations.registry import Registry

SCHEMA = build_schema(Registry(OPERATIONS))


def cost(text: str) -> int:
    return measure_document(SCHEMA, parse(text))[1]


def depth(text: str) -> int:
    return measure_document(SCHEMA, parse(text))[0]


class TestCost:
    def test_a_page_costs_its_fields_per_requested_record(self) -> None:
        assert cost("{ parcels(per_page: 10) { total page } }") == OPERATION_COST + 10 * 2
        assert cost("{ parcels { total } }") == OPERATION_COST + 50
        assert cost("{ parcels(per_page: 9999999999999) { total } }") == OPERATION_COST + 200

    def test_a_variable_page_size_counts_as_the_maximum(self) -> None:
        assert cost("query($n: Int) { parcels(per_page: $n) { total } }") == OPERATION_COST + 200

    def test_other_operations_cost_their_fields_once(self) -> None:
        assert cost('{ greet(name: "Bo") { result words } }') == OPERATION_COST + 2

    def test_every_alias_adds_to_the_cost(self) -> None:
        assert cost("{ a: meet { result } b: meet { result } }") == 2 * cost("{ a: meet { result } }")

    def test_a_fragment_adds_to_the_cost_at_every_use(self) -> None:
        spread = "{ a: meet { ...F } b: meet { ...F } } fragment F on Sent { result told }"
        assert cost(spread) == cost("{ a: meet { result told } b: meet { result told } }")

    def test_fragments_at_the_root_hide_no_operation(self) -> None:
        plain = cost("{ a: parcels { total } b: parcels { total } }")
        assert cost("{ ... { a: parcels { total } } ...B } fragment B on Query { b: parcels { total } }") == plain

    def test_skipped_fields_add_to_the_cost(self) -> None:
        assert cost("query($no: Boolean!) { meet @skip(if: $no) { result } }") == cost("{ meet { result } }")

    def test_the_most_expensive_operation_of_a_document_counts(self) -> None:
        assert cost("query A { meet { result } } query B { parcels { total } }") == cost("{ parcels { total } }")

    @given(st.recursive(st.just("result"), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=12))
    def test_writing_a_selection_as_fragments_never_reduces_its_cost(self, tree: object) -> None:
        fragments: list[str] = []

        def written(node: object) -> str:
            return "result" if isinstance(node, str) else " ".join(map(written, node))  # type: ignore[call-overload]

        def spread(node: object) -> str:
            if isinstance(node, str):
                return node
            name, body = f"F{len(fragments)}", len(fragments)
            fragments.append("")
            fragments[body] = f"fragment {name} on Sent {{ {' '.join(map(spread, node))} }}"  # type: ignore[call-overload]
            return f"...{name}"

        asked = f"{{ meet {{ {spread(tree)} }} }}"
        assert cost(asked + " ".join(fragments)) == cost(f"{{ meet {{ {written(tree)} }} }}")


class TestDepth:
    def test_depth_counts_levels_of_fields_through_fragments(self) -> None:
        assert depth("{ parcels { parcels { packed { ... on Box { sides } } } } }") == 4
        assert depth("{ parcels { ...A } } fragment A on Parcels { parcels { id } }") == 3

    async def test_a_document_that_is_too_deep_is_refused(self, endpoint: GraphQLClient) -> None:
        deep = "{ parcels " + "{ a " * MAX_DEPTH + "}" * (MAX_DEPTH + 1)
        assert error_code(await endpoint.error(deep)) == "GRAPHQL_TOO_DEEP"

    async def test_extreme_nesting_is_refused_safely(self, endpoint: GraphQLClient) -> None:
        for hostile in ("{a" * 20_000, "{ a(x: " + "[" * 2_000 + "]" * 400 + ") }", "{" * 50_000):
            assert error_code(await endpoint.error(hostile)) in {"GRAPHQL_INVALID", "GRAPHQL_TOO_DEEP"}


class TestRefusals:
    async def test_a_document_above_the_cost_limit_is_refused(self, endpoint: GraphQLClient) -> None:
        many = " ".join(f"a{at}: parcels {{ total }}" for at in range(MAX_COST // (OPERATION_COST + 50) + 1))
        answer = await endpoint.ask(f"{{ {many} }}")
        assert (answer.status_code, error_code(answer.json()["errors"][0])) == (400, "GRAPHQL_TOO_COSTLY")

    async def test_exponential_fragments_are_refused(self, endpoint: GraphQLClient) -> None:
        chain = " ".join(f"fragment F{at} on Sent {{ ...F{at + 1} ...F{at + 1} }}" for at in range(60))
        bomb = f"{{ meet {{ ...F0 }} }} {chain} fragment F60 on Sent {{ result }}"
        assert error_code(await endpoint.error(bomb)) == "GRAPHQL_TOO_COSTLY"

    @pytest.mark.parametrize(
        "document",
        [
            "",
            "{ nonsense }",
            "{ parcels { ...Gone } }",
            "{ parcels { ...A } } fragment A on Parcels { ...B } fragment B on Parcels { ...A }",
            "{ " + "x " * MAX_DOCUMENT_TOKENS + "}",
            "subscription { parcels { total } }",
            "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
        ],
    )
    async def test_an_invalid_document_is_refused(self, endpoint: GraphQLClient, document: str) -> None:
        answer = await endpoint.ask(document)
        assert (answer.status_code, error_code(answer.json()["errors"][0])) == (400, "GRAPHQL_INVALID")

    async def test_an_oversized_document_is_refused(self, endpoint: GraphQLClient) -> None:
        assert error_code(await endpoint.error("#" * (MAX_DOCUMENT_CHARACTERS + 1))) == "BODY_TOO_LARGE"

    async def test_an_error_names_no_other_field_and_echoes_only_a_part(self, endpoint: GraphQLClient) -> None:
        assert "parcels" not in (await endpoint.error("{ parcel { total } }"))["message"]
        assert len((await endpoint.error("{ " + "y" * 90_000 + " }"))["message"]) < 500


class TestIntrospection:
    async def test_the_standard_introspection_query_is_answered(self, endpoint: GraphQLClient) -> None:
        data = await endpoint.data(get_introspection_query(input_value_deprecation=True), None)
        assert {"Parcel", "PlaceInput", "Speed"} <= {kind["name"] for kind in data["__schema"]["types"]}

    async def test_repeated_full_introspection_exceeds_the_cost_limit(self, endpoint: GraphQLClient) -> None:
        whole = "__schema { types { name description fields { name description type { name } } } }"
        many = " ".join(f"a{at}: {whole}" for at in range(60))
        assert error_code(await endpoint.error(f"{{ {many} }}")) == "GRAPHQL_TOO_COSTLY"


class TestDocumentCache:
    def test_a_document_is_parsed_once(self) -> None:
        documents = DocumentCache(SCHEMA)
        assert documents["{ meet { result } }"] is documents["{ meet { result } }"]

    def test_the_least_recently_used_documents_are_evicted(self) -> None:
        a, b, c = (f"{{ {name}: meet {{ result }} }}" for name in "abc")
        documents = DocumentCache(SCHEMA, room=2 * len(a))
        kept = documents[a]
        second = documents[b]
        assert documents[a] is kept
        _ = documents[c]
        assert (len(documents), documents[a] is kept) == (2, True)
        assert documents[b] is not second

    def test_an_invalid_document_is_not_cached(self) -> None:
        documents = DocumentCache(SCHEMA)
        for _ in range(3):
            with pytest.raises(Exception, match="graphql_invalid"):
                _ = documents["{ nonsense }"]
        assert len(documents) == 0
