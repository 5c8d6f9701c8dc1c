"""Incomplete declarations are refused at import."""

import pytest
from tests.support.kernel_app import Greet, Greeting

from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, IncompleteDeclaration, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.wanted_values import PRESENT, Presence
from haulier.kernel.values.pagination import PagedAnswer

INTERFACES = (Rest("POST", "/v1/x"), GraphQL("x"), Mcp("x"))
ADMIN = {Account.CLIENT_ADMIN}


async def complete(call: Call, request: Greet) -> Greeting:
    """Do something."""
    return Greeting(words="")


async def silent(call: Call, request: Greet) -> Greeting:
    return Greeting(words="")


async def untyped(call, request):  # type: ignore[no-untyped-def]
    """Do something."""


async def loose(call: Call, request: dict) -> Greeting:  # type: ignore[type-arg]
    """Do something."""
    return Greeting(words="")


def test_a_complete_declaration_is_an_operation() -> None:
    operation = writes("x", audience=ADMIN, scopes={Scope.ORDERS_WRITE}, interfaces=INTERFACES)(complete)
    assert (operation.request, operation.answer, operation.summary) == (Greet, Greeting, "Do something.")


def test_a_summary_continues_to_the_end_of_its_sentence() -> None:
    async def described(call: Call, request: Greet) -> Greeting:
        """Do something that takes
        two lines. And more
        that is not needed.

        Further words.
        """
        return Greeting(words="")

    operation = reads("x", audience=ADMIN, interfaces=INTERFACES)(described)
    assert operation.summary == "Do something that takes two lines. And more that is not needed."


def test_an_action_is_allowed_by_the_state_of_its_record() -> None:
    def allows(record: dict[str, object], **where: str | bool | Presence) -> bool:
        options = {"audience": ADMIN, "scopes": {Scope.ORDERS_WRITE}, "interfaces": INTERFACES, "available_when": where}
        return writes("x", **options)(complete).is_allowed_by(record)  # type: ignore[arg-type]

    assert allows({"allowed_actions": ["hold", "cancel"]}, allowed_actions="hold")
    assert not allows({"allowed_actions": ["cancel"]}, allowed_actions="hold")
    assert allows({"active": False}, active=False)
    assert not allows({"active": True}, active=False)
    assert allows({}, active=False), "what a record does not say forbids nothing"
    assert allows({"active": True})
    assert [allows({"cod_minor": value}, cod_minor=PRESENT) for value in (250, None, 0, [], ["a"])] == [
        True,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("handler", [silent, untyped, loose])
def test_a_handler_without_docstring_or_types_is_refused(handler: object) -> None:
    with pytest.raises(IncompleteDeclaration):
        reads("x", audience=ADMIN, interfaces=INTERFACES)(handler)  # type: ignore[arg-type]


def test_an_empty_audience_is_refused() -> None:
    with pytest.raises(IncompleteDeclaration, match="audience"):
        reads("x", audience=(), interfaces=INTERFACES)(complete)


def test_a_write_without_a_scope_is_refused() -> None:
    with pytest.raises(IncompleteDeclaration, match="scope"):
        writes("x", audience=ADMIN, interfaces=INTERFACES)(complete)


def test_public_operations_cannot_require_a_scope() -> None:
    with pytest.raises(IncompleteDeclaration, match="scope"):
        reads("x", audience={Account.PUBLIC}, scopes={Scope.ORDERS_READ}, interfaces=INTERFACES)(complete)


def test_a_path_can_contain_only_fields_of_the_request() -> None:
    with pytest.raises(IncompleteDeclaration, match="colour"):
        reads("x", audience=ADMIN, interfaces=(Rest("GET", "/v1/x/{colour}"),))(complete)


def test_a_replica_serves_lists_and_marked_reads_and_no_writes() -> None:
    async def listed(call: Call, request: Greet) -> PagedAnswer:
        """List."""
        return PagedAnswer(total=0, page=1, per_page=50)

    lists, plain = (reads("x", audience=ADMIN, interfaces=INTERFACES)(handler) for handler in (listed, complete))
    chosen = reads("x", audience=ADMIN, interfaces=INTERFACES, replica=True)(complete)
    kept_away = reads("x", audience=ADMIN, interfaces=INTERFACES, replica=False)(listed)
    assert [each.may_read_replica for each in (lists, plain, chosen, kept_away)] == [True, False, True, False]
    with pytest.raises(IncompleteDeclaration, match="a replica cannot serve writes"):
        writes("x", audience=ADMIN, scopes={Scope.ORDERS_WRITE}, interfaces=INTERFACES, replica=True)(complete)


def test_two_operations_with_one_name_are_refused() -> None:
    one = reads("x", audience=ADMIN, interfaces=(GraphQL("a"),))(complete)
    two = reads("x", audience=ADMIN, interfaces=(GraphQL("b"),))(complete)
    with pytest.raises(IncompleteDeclaration, match="two operations"):
        Registry([one, two])


def test_two_operations_with_one_path_are_refused() -> None:
    one = reads("x", audience=ADMIN, interfaces=(Rest("POST", "/v1/{name}"),))(complete)
    two = reads("y", audience=ADMIN, interfaces=(Rest("POST", "/v1/{times}"),))(complete)
    with pytest.raises(IncompleteDeclaration, match="both answer"):
        Registry([one, two])


def test_only_machine_reports_without_an_account_are_excluded_from_the_audit_trail() -> None:
    machines = writes("x", audience={Account.PUBLIC}, interfaces=INTERFACES, unaudited="every minute")(complete)
    assert machines.unaudited
    with pytest.raises(IncompleteDeclaration, match="audited"):
        writes("x", audience=ADMIN, scopes={Scope.ORDERS_WRITE}, interfaces=INTERFACES, unaudited="every minute")(
            complete
        )
