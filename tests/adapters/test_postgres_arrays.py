"""Rows go to PostgreSQL as arrays where one statement can insert them all."""

from haulier.adapters.postgres_arrays import insert_of_arrays


def test_an_insert_of_one_row_becomes_a_bulk_insert() -> None:
    row = "INSERT INTO t (a, b) VALUES ($1::BIGINT, $2::TIMESTAMP WITH TIME ZONE) ON CONFLICT DO NOTHING RETURNING t.id"
    rows = "INSERT INTO t (a, b) SELECT * FROM unnest($1::BIGINT[], $2::TIMESTAMP WITH TIME ZONE[])"
    assert insert_of_arrays(row) == f"{rows} ON CONFLICT DO NOTHING RETURNING t.id"


def test_other_statements_are_unchanged() -> None:
    for sql in (
        "UPDATE t SET a = $1::BIGINT",
        "INSERT INTO t (a) VALUES ($1::BIGINT) ON CONFLICT (a) DO UPDATE SET a = excluded.a",
        "INSERT INTO t (a, b) VALUES ($1::BIGINT, now())",
        "INSERT INTO t (a, b) VALUES ($1::BIGINT, $2::BIGINT[])",
        "INSERT INTO t (a) VALUES ($1::BIGINT) RETURNING t.a = $2::BIGINT",
    ):
        assert insert_of_arrays(sql) is None, sql
