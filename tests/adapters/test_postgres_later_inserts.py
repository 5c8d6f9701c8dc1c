"""Inserts that go with a later statement of their transaction: what is sent."""

from haulier.adapters.postgres_later_inserts import LaterInserts, SentStatement, WaitingInsert, joined_statement

STEP = WaitingInsert(
    "INSERT INTO step (order_id, at) VALUES ($1::BIGINT, $2::TIMESTAMP)", [(7, "noon")], frozenset({"step"}), "1"
)
ENTRY = WaitingInsert("INSERT INTO entry (who) VALUES ($1::VARCHAR)", [("anna",)], frozenset({"entry"}), None)
HOOKS = SentStatement("SELECT url FROM hook WHERE client_id = $1::BIGINT", (1,), frozenset({"hook"}), "1")


def waiting(*inserts: WaitingInsert) -> LaterInserts:
    later = LaterInserts()
    for insert in inserts:
        assert later.accepts(insert)
        later.add(insert._replace(rows=[*insert.rows]))
    return later


def test_parameters_of_deferred_inserts_follow_those_of_their_statement() -> None:
    later = waiting(STEP, ENTRY)
    assert later.accompany(HOOKS) == SentStatement(
        "WITH later_0 AS (INSERT INTO step (order_id, at) VALUES ($2::BIGINT, $3::TIMESTAMP)), "
        "later_1 AS (INSERT INTO entry (who) VALUES ($4::VARCHAR)) SELECT url FROM hook WHERE client_id = $1::BIGINT",
        (1, 7, "noon", "anna"),
        frozenset({"step", "entry", "hook"}),
        "1",
    )
    assert not later


def test_a_two_digit_parameter_is_one_number() -> None:
    many = f"INSERT INTO wide VALUES ({', '.join(f'${number}' for number in range(1, 13))})"
    joined = joined_statement("SELECT $1, $2", (many,))
    assert (
        joined
        == f"WITH later_0 AS (INSERT INTO wide VALUES ({', '.join(f'${n}' for n in range(3, 15))})) SELECT $1, $2"
    )


def test_a_statement_on_the_same_table_runs_after_pending_inserts() -> None:
    later = waiting(STEP)
    steps = HOOKS._replace(tables=frozenset({"hook", "step"}))
    assert later.accompany(steps) is None
    assert later.take() == STEP.statement()
    assert not later


def test_a_statement_for_another_client_or_with_its_own_with_runs_separately() -> None:
    later = waiting(ENTRY, STEP)
    assert later.accompany(HOOKS._replace(rls_tenant="2")) is None
    assert later.accompany(HOOKS._replace(sql="WITH x AS (SELECT 1) SELECT 2")) is None
    assert not later.accepts(STEP._replace(rls_tenant="2"))
    assert later.accompany(HOOKS._replace(rls_tenant=None)) is not None


def test_all_pending_inserts_are_one_statement_per_client() -> None:
    assert waiting(STEP, ENTRY).take() == SentStatement(
        "WITH later_0 AS (INSERT INTO step (order_id, at) VALUES ($2::BIGINT, $3::TIMESTAMP)) "
        "INSERT INTO entry (who) VALUES ($1::VARCHAR)",
        ("anna", 7, "noon"),
        frozenset({"step", "entry"}),
        "1",
    )


def test_rows_of_the_same_insert_stay_together_in_order() -> None:
    later = waiting(STEP, ENTRY, STEP._replace(rows=[(7, "one"), (8, "two")]))
    assert later.take().values == ("anna", (7, 7, 8), ("noon", "one", "two"))


def test_another_insert_into_the_same_table_runs_after_pending_ones() -> None:
    later = waiting(STEP)
    assert not later.accepts(STEP._replace(sql="INSERT INTO step (order_id) VALUES ($1::BIGINT)", rows=[(7,)]))


def test_rolled_back_inserts_are_not_sent() -> None:
    later = waiting(STEP)
    later.forget()
    assert not later
