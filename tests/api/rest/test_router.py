"""REST router: literal segments precede parameters; unknown paths match nothing."""

from haulier.api.rest.router import RestRouter
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request, Rest, reads
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.registry import Registry


class Named(Request):
    number: str = ""


class Said(Answer):
    result: bool = True


def make_operation(name: str, path: str):
    async def handler(call: Call, request: Named) -> Said:
        """Say something."""
        return Said()

    return reads(name, audience={Account.PUBLIC}, interfaces=(Rest("GET", path),))(handler)


ROUTER = RestRouter(
    Registry(
        [
            make_operation("by_number", "/v1/things/{number}"),
            make_operation("summary", "/v1/things/summary"),
            make_operation("parts", "/v1/things/{number}/parts"),
        ]
    )
)


def found(path: str) -> tuple[list[str], list[str]]:
    bindings, values = ROUTER.find(path)
    return [operation.name for _, operation, _ in bindings.values()], values


def test_a_literal_segment_takes_precedence_over_a_named_one() -> None:
    assert found("/v1/things/summary") == (["summary"], [])


def test_a_named_segment_gives_its_value() -> None:
    assert found("/v1/things/HL1") == (["by_number"], ["HL1"])


def test_a_literal_without_a_match_is_tried_as_a_named_segment() -> None:
    assert found("/v1/things/summary/parts") == (["parts"], ["summary"])


def test_values_are_unquoted_after_splitting_the_path() -> None:
    assert found("/v1/things/a%2Fb") == (["by_number"], ["a/b"])


def test_an_unknown_path_is_not_found() -> None:
    assert found("/v1/nowhere") == ([], [])
    assert found("/v1/things") == ([], [])
