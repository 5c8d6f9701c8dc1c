"""What stands on a label, and how it is written for a printer."""

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.app import App
from tests.support.transport import a_contact, an_order

from haulier.contexts.orders.delivery_orders.contract.labels import OrderLabelData
from haulier.contexts.orders.delivery_orders.serializers.labels import render_zpl

FIELD = re.compile(r"\^FD(.*?)\^FS", re.DOTALL)


def a_label(**words: Any) -> OrderLabelData:
    known = {"tracking_number": "HLTR16KD5632GCM", "type": "D", "name": "Ada", "address": "100 Queen St W"}
    empty = dict.fromkeys(("other_end", "phone", "instruction", "order_ref", "scheduled_date", "cod"))
    return OrderLabelData(
        **{**known, "place": "Toronto ON", **empty, "piece": 1, "pieces": 1, "weight_g": 1500, **words}
    )


def fields(label: OrderLabelData) -> list[str]:
    return FIELD.findall(render_zpl(label))


def test_a_label_says_where_to_which_piece_and_what_to_collect() -> None:
    words = {"cod": "12.50 CAD", "pieces": 2, "scheduled_date": date(2026, 6, 11), "order_ref": "A-1"}
    assert fields(a_label(**words)) == [
        "D  2026-06-11",
        "Ada",
        "100 Queen St W",
        "Toronto ON",
        "HLTR16KD5632GCM",
        "1 / 2   1.5 kg",
        "A-1",
        "COD 12.50 CAD",
    ]


def test_nothing_is_printed_for_what_is_not_known() -> None:
    assert all(fields(a_label()))


@given(st.text(max_size=300))
def test_no_words_can_leave_their_field(words: str) -> None:
    written = render_zpl(a_label(name=words, address=words, instruction=words, order_ref=words))
    assert (written.count("^XA"), written.count("^XZ"), written.count("~")) == (1, 1, 0)
    assert written.count("^FD") == written.count("^FS")


@pytest.mark.parametrize(("letter", "most"), [("m", 21), ("漢", 11)])
def test_words_too_long_for_their_lines_are_cut_and_not_printed_on_top_of_each_other(letter: str, most: int) -> None:
    name = fields(a_label(name=letter * 200))[1]
    assert name.endswith("…")
    assert len(name) <= most


async def test_each_piece_has_a_label_and_the_cash_stands_on_the_first(app: App) -> None:
    order_id = await an_order(app, packages=[{"weight_g": 700}, {"weight_g": 300}], cod_minor=1250)
    answer = await app.answer("admin", "print_local_label", {"order_id": order_id})
    assert [(each.piece, each.pieces, each.weight_g, each.cod) for each in answer.data] == [
        (1, 2, 700, "12.50 CAD"),
        (2, 2, 300, None),
    ]
    assert all(data.tracking_number in label for data, label in zip(answer.data, answer.labels, strict=True))


async def test_the_label_of_a_pickup_shows_the_door_it_is_fetched_from(app: App) -> None:
    order_id = await an_order(
        app, type="P", shipper=a_contact(name="Bo", city="Whitby"), consignee=a_contact(name="Cy")
    )
    (label,) = (await app.answer("admin", "print_local_label", {"order_id": order_id})).data
    assert (label.name, label.place.split()[0]) == ("Bo", "Whitby")
    assert label.other_end.startswith("Cy")


async def test_a_label_is_given_in_the_form_that_is_asked_for_or_refused(app: App) -> None:
    order_id = await an_order(app, packages=[{}, {}])
    path = f"/v1/orders/{order_id}/label"
    whole = (await app.rest("admin", "GET", path)).json()
    printed = await app.rest("admin", "GET", path, headers={"Accept": "application/zpl"})
    assert (printed.headers["content-type"].partition(";")[0], printed.text) == (
        "application/zpl",
        "\n".join(whole["labels"]),
    )
    assert (await app.rest("admin", "GET", f"{path}?format=pdf")).status_code == 422
    assert (await app.rest("admin", "GET", path, headers={"Accept": "application/pdf"})).status_code == 406
