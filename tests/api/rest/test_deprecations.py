"""Deprecated operations and fields say so in responses and descriptions."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from tests.support.app import App

from haulier.api.rest.openapi import openapi_document
from haulier.app import registry
from haulier.kernel.operations.deprecation import Deprecation, deprecation_headers

WHOLE = Deprecation(since=date(2027, 1, 1), sunset=date(2028, 1, 1), replacement="list_orders")
FIELD = Deprecation(
    since=date(2026, 6, 1), sunset=date(2027, 6, 1), replacement="statuses", fields=frozenset({"status"})
)


@contextmanager
def deprecated(*deprecations: Deprecation) -> Iterator[None]:
    """Deprecate `get_orders`, or fields of it, for a while."""
    operation = registry()["get_orders"]
    object.__setattr__(operation, "deprecations", deprecations)
    try:
        yield
    finally:
        object.__setattr__(operation, "deprecations", ())


async def test_a_deprecated_operation_names_its_dates_in_every_response(sqlite_app: App) -> None:
    with deprecated(WHOLE):
        for who, status in (("admin", 200), (None, 401)):
            answer = await sqlite_app.rest(who, "GET", "/v1/orders")
            assert answer.status_code == status
            assert answer.headers["deprecation"] == "@1798761600"
            assert answer.headers["sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"
            assert 'rel="deprecation"' in answer.headers["link"]


async def test_a_deprecated_field_is_reported_only_where_it_is_used(sqlite_app: App) -> None:
    with deprecated(FIELD):
        used = await sqlite_app.rest("admin", "GET", "/v1/orders?status=NEW_ORDER")
        unused = await sqlite_app.rest("admin", "GET", "/v1/orders")
    assert used.headers["sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
    assert "deprecation" not in unused.headers


async def test_an_operation_in_force_has_no_such_headers(sqlite_app: App) -> None:
    answer = await sqlite_app.rest("admin", "GET", "/v1/orders")
    assert not {"deprecation", "sunset"} & {*answer.headers}


def test_of_several_deprecations_the_earliest_dates_count() -> None:
    assert deprecation_headers((WHOLE, FIELD))["Sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"


def test_the_description_marks_a_deprecated_operation() -> None:
    with deprecated(WHOLE):
        assert openapi_document.__wrapped__(registry())["paths"]["/v1/orders"]["get"]["deprecated"] is True
    assert "deprecated" not in openapi_document.__wrapped__(registry())["paths"]["/v1/orders"]["get"]
