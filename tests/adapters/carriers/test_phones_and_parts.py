"""Telephone numbers with extensions, and customs weights that fit the parcel."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.adapters.carriers.easypost.requests import address
from haulier.adapters.carriers.measures import ounces, ounces_of_parts
from haulier.adapters.carriers.parties import digits, split_phone
from haulier.adapters.carriers.ups.requests import _party as ups_party
from haulier.contexts.shipping.ports import Party


@pytest.mark.parametrize(
    ("phone", "number", "extension"),
    [
        ("+1 (617) 555-0100 ext. 12", "16175550100", "12"),
        ("+1 617 555 0100 x12", "16175550100", "12"),
        ("617-555-0100x3456", "6175550100", "3456"),
        ("+1-617-555-0100;ext=7", "16175550100", "7"),
        ("514 555-0100 poste 204", "5145550100", "204"),
        ("+1 617 555 0100 #9", "16175550100", "9"),
        ("+44 20 7946 0018", "442079460018", ""),
        ("", "", ""),
    ],
)
def test_an_extension_is_separated_from_the_number(phone: str, number: str, extension: str) -> None:
    found = split_phone(phone)
    assert (digits(found[0]), found[1]) == (number, extension)


def test_carriers_get_number_and_extension_separately() -> None:
    place = Party("Ada", "1 Front St", "Boston", "US", "02110", "MA", phone="+1 (617) 555-0100 ext. 12")
    assert ups_party(place, "recipient")["Phone"] == {"Number": "16175550100", "Extension": "12"}
    assert address(place, "recipient")["phone"] == "+1 (617) 555-0100"


def test_three_light_items_fit_their_parcel() -> None:
    assert ounces_of_parts([10, 11, 12]) == [0.4, 0.4, 0.4]
    assert ounces(33) == 1.2


@given(st.lists(st.integers(3, 5000), min_size=1, max_size=30))
def test_the_parts_of_a_weight_add_up_to_the_total(weights_g: list[int]) -> None:
    parts = ounces_of_parts(weights_g)
    assert min(parts) >= 0.1
    assert round(sum(parts), 1) == max(ounces(sum(weights_g)), round(len(parts) / 10, 1))
