"""Taxes of charges are split and summed without losing a cent."""

from hypothesis import given
from hypothesis import strategies as st

from haulier.kernel.values.taxes import Tax, scale_taxes, sum_taxes, tax_within, taxes_of_part

AMOUNTS = st.integers(1, 10**9)
RATES = st.sampled_from([0, 500, 700, 1300, 1900, 2100])


@given(AMOUNTS, RATES, st.data())
def test_the_taxes_of_a_refund_mirror_those_of_its_charge(gross: int, rate: int, data: st.DataObject) -> None:
    taxes = (Tax(name="VAT", rate_bp=rate, amount_minor=tax_within(gross, rate)),)
    part = data.draw(st.integers(1, gross))
    (charged,), (refunded,) = scale_taxes(taxes, part, gross), scale_taxes(taxes, -part, gross)
    assert refunded.amount_minor == -charged.amount_minor
    assert abs(2 * (charged.amount_minor * gross - part * taxes[0].amount_minor)) <= gross


@given(st.lists(AMOUNTS, min_size=1, max_size=8), RATES)
def test_the_taxes_of_consecutive_parts_add_up_to_those_of_the_charge(parts: list[int], rate: int) -> None:
    gross = sum(parts)
    taxes = (Tax(name="VAT", rate_bp=rate, amount_minor=tax_within(gross, rate)),)
    given = [taxes_of_part(taxes, sum(parts[:place]), part, gross)[0].amount_minor for place, part in enumerate(parts)]
    assert sum(given) == taxes[0].amount_minor


@given(st.lists(st.tuples(AMOUNTS, RATES), max_size=8))
def test_net_and_tax_of_all_rates_add_up_to_the_gross_amounts(lines: list[tuple[int, int]]) -> None:
    taxed = [
        (gross, [Tax(name="VAT", rate_bp=rate, amount_minor=tax_within(gross, rate))] if rate else [])
        for gross, rate in lines
    ]
    sums = sum_taxes(taxed)
    assert sum(each.net_minor + each.amount_minor for each in sums) == sum(gross for gross, _ in lines)
    assert len({(each.name, each.rate_bp) for each in sums}) == len(sums)


def test_a_charge_with_two_taxes_counts_its_net_amount_for_each() -> None:
    taxes = [Tax(name="GST", rate_bp=500, amount_minor=50), Tax(name="QST", rate_bp=998, amount_minor=100)]
    assert [(each.name, each.net_minor) for each in sum_taxes([(1150, taxes)])] == [("QST", 1000), ("GST", 1000)]
