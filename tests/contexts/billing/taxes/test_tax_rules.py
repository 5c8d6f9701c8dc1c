"""Tax rates by location, and amounts with and without tax."""

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.billing.taxes.rules import (
    TaxPlace,
    TaxRule,
    assess,
    assess_total,
    initial_rules,
    round_per_invoice,
    select_rules,
)
from haulier.kernel.values.rounding import PPM, divide_half_up
from haulier.kernel.values.taxes import percent_text, sum_taxes

AMOUNTS = st.integers(1, 10**9)
RATES = st.lists(st.integers(1, 270_000), max_size=3).map(
    lambda rates: [
        TaxRule(country="CA", name=f"T{place}", rate_ppm=rate) for place, rate in enumerate(sorted(rates, reverse=True))
    ]
)


@given(AMOUNTS, RATES)
def test_net_and_taxes_add_up_to_the_gross_amount(amount: int, rules: list[TaxRule]) -> None:
    for includes_tax in (True, False):
        found = assess(amount, rules, includes_tax=includes_tax)
        assert found.net_minor + sum(tax.amount_minor for tax in found.taxes) == found.gross_minor
        assert (found.gross_minor if includes_tax else found.net_minor) == amount


@given(AMOUNTS, RATES)
def test_each_tax_differs_from_its_exact_share_by_at_most_a_cent(amount: int, rules: list[TaxRule]) -> None:
    found = assess(amount, rules)
    for tax in found.taxes:
        assert abs(tax.amount_minor - divide_half_up(found.net_minor * tax.ppm, PPM)) <= len(rules)


@given(st.lists(st.tuples(AMOUNTS, RATES), max_size=12))
def test_rounding_per_invoice_keeps_amounts_and_rounds_each_tax_once(lines: list[tuple[int, list[TaxRule]]]) -> None:
    taxed = [(amount, assess(amount, rules).taxes) for amount, rules in lines]
    rounded = round_per_invoice(taxed)
    assert [len(taxes or ()) for taxes in rounded] == [len(taxes) for _, taxes in taxed]
    for names in {tuple((rule.name, rule.rate_ppm) for rule in rules) for _, rules in lines}:
        of_group = [
            (amount, taxes or ())
            for (amount, before), taxes in zip(taxed, rounded, strict=True)
            if tuple((tax.name, tax.ppm) for tax in before) == names
        ]
        gross = sum(amount for amount, _ in of_group)
        rules = [TaxRule(country="", name=name, rate_ppm=rate_ppm) for name, rate_ppm in names]
        exact = {(tax.name, tax.ppm): tax.amount_minor for tax in assess(gross, rules).taxes}
        sums = {(each.name, each.rate_ppm): each.amount_minor for each in sum_taxes(of_group) if each.rate_ppm}
        assert sums == exact


def test_a_province_has_its_own_rates() -> None:
    rules = initial_rules("CA")
    found = {
        region: [(rule.name, rule.rate_ppm) for rule in select_rules(rules, TaxPlace("CA", region), "label") or []]
        for region in ("ON", "BC", "AB", "QC")
    }
    assert found == {
        "ON": [("HST", 130_000)],
        "BC": [("PST", 70_000), ("GST", 50_000)],
        "AB": [("GST", 50_000)],
        "QC": [("QST", 99_750), ("GST", 50_000)],
    }


def test_an_unknown_region_leaves_the_tax_undetermined_and_another_country_is_untaxed() -> None:
    rules = initial_rules("CA")
    assert select_rules(rules, TaxPlace("CA"), "label") is None
    assert select_rules(rules, TaxPlace("CA", "ONTARIO"), "label") is None
    assert select_rules(rules, TaxPlace("US", "NY"), "label") == []


def test_a_class_rate_replaces_the_general_rate_of_the_same_name() -> None:
    rules = [*initial_rules("DE"), TaxRule(country="DE", product_class="storage", name="VAT", rate_ppm=0)]
    assert select_rules(rules, TaxPlace("DE"), "storage") == []
    assert [rule.rate_ppm for rule in select_rules(rules, TaxPlace("DE"), "label") or []] == [190_000]


def test_countries_without_a_national_sales_tax_have_no_initial_rates() -> None:
    assert initial_rules("US") == []


@given(AMOUNTS, RATES)
def test_taxes_are_added_to_the_total_of_a_net_price(amount: int, rules: list[TaxRule]) -> None:
    found = assess(amount, rules, includes_tax=False)
    again = assess_total(found.gross_minor, rules)
    assert (again.gross_minor, again.net_minor + sum(tax.amount_minor for tax in again.taxes)) == (
        found.gross_minor,
        found.gross_minor,
    )
    assert abs(again.net_minor - found.net_minor) <= len(rules)


def test_the_quebec_sales_tax_is_exact() -> None:
    rules = select_rules(initial_rules("CA"), TaxPlace("CA", "QC"), "label") or []
    found = assess(100_000, rules, includes_tax=False)
    assert [(tax.name, tax.amount_minor, tax.rate_bp) for tax in found.taxes] == [
        ("QST", 9975, 998),
        ("GST", 5000, 500),
    ]
    assert found.gross_minor == 114_975
    assert [percent_text(tax.ppm) for tax in found.taxes] == ["9.975", "5"]
