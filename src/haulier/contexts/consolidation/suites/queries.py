"""Lookup of customers by suite code and label."""

from collections.abc import Collection, Mapping

from haulier.contexts.consolidation.suites import store
from haulier.contexts.consolidation.suites.rules import suite_candidates, suite_key
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import record_not_found


async def require_suite_customer(work: UnitOfWork, code: str) -> int:
    """Return the customer whose suite it is. Raises `NOT_FOUND`."""
    rows = await store.list_suites_of_keys(work, [suite_key(code)])
    if not rows:
        raise record_not_found(suite=code)
    return rows[0].customer_id


async def find_customers_in_texts(work: UnitOfWork, texts: Collection[str]) -> Mapping[str, int]:
    """Return the customers of suites in texts, by text. One statement.

    A text with several customers has none.
    """
    candidates = {text: suite_candidates(text) for text in texts}
    keys = {key for each in candidates.values() for key in each}
    owners = {suite_key(row.code): row.customer_id for row in await store.list_suites_of_keys(work, keys)}
    meant = {text: {owners[key] for key in each if key in owners} for text, each in candidates.items()}
    return {text: next(iter(customers)) for text, customers in meant.items() if len(customers) == 1}


async def has_suites(work: UnitOfWork) -> bool:
    """Return True if this client has any suite."""
    return await store.find_any_suite(work) is not None
