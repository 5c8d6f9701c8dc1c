"""Results of INSERT on SQLite without RETURNING."""

from haulier.adapters.sqlite_inserts import plain_insert


def test_given_values_and_the_id_need_no_returning() -> None:
    plain = plain_insert("INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING b, id")
    assert plain == ("INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING", (1, None))


def test_a_given_id_is_used() -> None:
    assert plain_insert("INSERT INTO t (id, a) VALUES (?, ?) RETURNING id") == (
        "INSERT INTO t (id, a) VALUES (?, ?)",
        (0,),
    )


def test_other_statements_are_unchanged() -> None:
    for sql in (
        "INSERT INTO t (a) VALUES (?)",
        "INSERT INTO t (a) VALUES (?) RETURNING id, made_at",
        "INSERT INTO t (a, b) VALUES (?, 'x') RETURNING id",
        "INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = excluded.a RETURNING id",
        "UPDATE t SET a = ? RETURNING id",
    ):
        assert plain_insert(sql) is None, sql
