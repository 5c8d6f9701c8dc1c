"""Response formats by Accept header."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.api.content_negotiation import choose_representation
from haulier.kernel.operations.declaration import Representation, Representations
from haulier.kernel.operations.errors import OperationError

FORMS = Representations(
    (
        Representation("application/vnd.native+json", "native"),
        Representation("application/ld+json", "red", ("urn:red", "otep:format:red")),
        Representation("application/ld+json", "blue", ("urn:blue",)),
    )
)


def form(accept: str | None) -> str | None:
    offer = choose_representation(FORMS, accept)
    return offer.value if offer else None


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        (None, None),
        ("application/json", None),
        ("application/vnd.native+json", "native"),
        ("APPLICATION/LD+JSON", "red"),
        ('application/ld+json; profile="urn:blue"', "blue"),
        ("application/ld+json;profile=urn:blue", "blue"),
        ('application/ld+json; profile="urn:green urn:blue"', "blue"),
        ('application/*; profile="urn:red"', "red"),
        ("application/ld+json;q=0.2, application/json;q=0.1", "red"),
        ("application/ld+json;q=0.2, */*", None),
        ("application/ld+json;q=0, application/*;q=0.5", None),
        ("application/json;q=0, application/*", "native"),
        ("application/ld+json, application/vnd.native+json", "native"),
        ('text/html;x="a,b", application/vnd.native+json', "native"),
        ("application/ld+json;q=2", "red"),
        (", ,application/ld+json", "red"),
    ],
)
def test_the_most_specific_range_decides_and_the_most_preferred_type_is_returned(
    accept: str | None, wanted: str | None
) -> None:
    assert form(accept) == wanted


@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml, image/*", "*/*;q=0", "json", "application/ld+json;q=x"]
)
def test_an_unacceptable_request_is_refused(accept: str) -> None:
    with pytest.raises(OperationError) as refused:
        form(accept)
    assert refused.value.error_type.status == 406
    assert 'application/ld+json; profile="urn:blue"' in refused.value.params["available"]


@given(st.text(alphabet=st.characters(max_codepoint=255)) | st.text(alphabet='ap/*;,"=q.01 ldjson+'))
def test_any_accept_header_is_handled(accept: str) -> None:
    with suppress(OperationError):
        assert form(accept) in {None, "native", "red", "blue"}
