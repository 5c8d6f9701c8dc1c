"""The right to send somebody a text, as a condition of SQL: it stands in the very statement that claims a text."""

from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, bindparam, literal_column, or_, select
from sqlalchemy.sql.selectable import FromClause

from haulier.contexts.messaging.campaigns.store.tables import consents, suppressions
from haulier.kernel.data.statements import in_param

EVERYTHING = "all"
"""The list of suppressions that holds for every purpose."""


def asked_for_each(rows: Select[Any]) -> ColumnElement[bool]:
    """Whether there is such a row: looked up in its index for each row of the statement, and never joined.

    # Why: PostgreSQL takes tables that it has not counted yet for empty, as after an import, and joins them row by row with
    # themselves: a claim of 50 texts among 2,000 contacts took more than five minutes. An OFFSET keeps a subquery apart.
    """
    return rows.offset(literal_column("0")).exists()


def has_consent(of: Table | FromClause, purpose: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether the number of a row has a consent in force to a purpose. Parameters: `now`, `sufficient`.

    Such a consent has one of the `sufficient` keys (country, purpose, basis), was given, has not ended, and was not revoked
    since; a revocation of the same moment counts.
    """
    given, revoked = consents.alias("given"), consents.alias("revoked")
    later = select(revoked.c.id).where(
        revoked.c.number_key == given.c.number_key,
        revoked.c.purpose == given.c.purpose,
        revoked.c.granted.is_(False),
        revoked.c.occurred_at >= given.c.occurred_at,
    )
    now = bindparam("now", type_=consents.c.occurred_at.type)
    return asked_for_each(
        select(given.c.id)
        .where(
            given.c.number_key == of.c.number_key,
            given.c.purpose == purpose,
            given.c.granted.is_(True),
            given.c.occurred_at <= now,
            or_(given.c.expires_at.is_(None), given.c.expires_at > now),
            in_param(given.c.consent_key, "sufficient"),
            ~asked_for_each(later.correlate(given)),
        )
        .correlate(of)
    )


def is_suppressed(of: Table | FromClause, purpose: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether the number of a row is on the list of everything or of a purpose."""
    held = suppressions.alias("held")
    return asked_for_each(
        select(held.c.id)
        .where(
            held.c.number_key == of.c.number_key,
            held.c.lifted_at.is_(None),
            or_(held.c.list == EVERYTHING, held.c.list == purpose),
        )
        .correlate(of)
    )


def may_receive(of: Table | FromClause, purpose: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a text of a purpose may go to the number of a row now."""
    return and_(has_consent(of, purpose), ~is_suppressed(of, purpose))
