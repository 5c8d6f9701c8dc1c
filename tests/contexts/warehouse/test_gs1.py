"""GS1 barcodes with application identifiers, by the General Specifications."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.warehouse.scans.rules import parse_gs1

TODAY = date(2026, 6, 10)
GTIN, SSCC = "09506000134352", "106141412345678908"


def test_a_barcode_is_read_in_every_transmission_format() -> None:
    printed = f"(01){GTIN}(17)270131(10)L-7(37)24"
    sent = f"01{GTIN}1727013110L-7\x1d3724"
    for text in (printed, sent, f"]C1{sent}", f"]d2{sent}", f"\x1d{sent}"):
        code = parse_gs1(text, TODAY)
        assert code, text
        assert (code.gtin, code.lot, code.expires_on, code.count) == (GTIN, "L-7", date(2027, 1, 31), 24), text


def test_units_serials_and_weights_are_read() -> None:
    unit = parse_gs1(f"00{SSCC}", TODAY)
    assert unit
    assert unit.sscc == SSCC
    piece = parse_gs1(f"(01){GTIN}(21)S-0001(3103)001250", TODAY)
    assert piece
    assert (piece.serial, piece.net_weight_g) == ("S-0001", 1250)
    heavy = parse_gs1(f"(01){GTIN}(3100)000012", TODAY)
    assert heavy
    assert heavy.net_weight_g == 12_000


def test_a_year_is_the_nearest_one_and_day_00_is_the_last_of_its_month() -> None:
    for text, day in {
        "280200": date(2028, 2, 29),
        "991231": date(1999, 12, 31),
        "760101": date(2076, 1, 1),
        "770101": date(1977, 1, 1),
    }.items():
        code = parse_gs1(f"01{GTIN}17{text}", TODAY)
        assert code, text
        assert code.expires_on == day


def test_other_barcodes_are_left_unchanged() -> None:
    for text in (
        "MUG-1",
        "4006381333931",
        "HL0V9Q1ABCD2",
        "0109506000134353",  # the check digit is another one
        f"01{GTIN}171302",
        f"01{GTIN}17271301",
        f"01{GTIN}10",
        f"(01){GTIN}(77)x",
        "",
        "(",
        "0012",
    ):
        assert parse_gs1(text, TODAY) is None, text


@given(st.text(st.characters(max_codepoint=0x7F), max_size=60))
def test_any_text_is_parsed_safely(text: str) -> None:
    for marked in (text, f"]C1{text}", f"({text}", f"01{GTIN}{text}"):
        code = parse_gs1(marked, TODAY)
        assert code is None or code.elements


_LOTS = st.text("ABCDEFGHIJ0123456789-/", min_size=1, max_size=20)


@given(_LOTS, st.integers(1, 99_999_999), st.dates(date(2000, 1, 1), date(2049, 12, 31)))
def test_a_written_barcode_is_read_back(lot: str, count: int, day: date) -> None:
    code = parse_gs1(f"]C101{GTIN}17{day:%y%m%d}30{count}\x1d10{lot}", TODAY)
    assert code
    assert (code.lot, code.count, code.expires_on) == (lot, count, day)
