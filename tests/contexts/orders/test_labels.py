"""Order labels: contents and formats."""

from base64 import b64decode

from tests.rendering.label_makers import codes_in, picture_of, pictures_of, text_of
from tests.support.app import App
from tests.support.transport import make_contact, make_order


async def test_each_package_has_a_label_and_the_first_states_the_cash(app: App) -> None:
    order_id = await make_order(app, packages=[{"weight_g": 700}, {"weight_g": 300}], cod_minor=1250)
    answer = await app.answer("admin", "print_local_label", {"order_id": order_id})
    assert [(each.piece, each.pieces, each.weight_g, each.cod) for each in answer.data] == [
        (1, 2, 700, "12.50 CAD"),
        (2, 2, 300, None),
    ]
    assert all(data.tracking_number in label for data, label in zip(answer.data, answer.labels, strict=True))


async def test_a_pickup_label_shows_the_pickup_address(app: App) -> None:
    order_id = await make_order(
        app, type="P", shipper=make_contact(name="Bo", city="Whitby"), consignee=make_contact(name="Cy")
    )
    (label,) = (await app.answer("admin", "print_local_label", {"order_id": order_id})).data
    assert (label.name, label.place.split()[0]) == ("Bo", "Whitby")
    assert label.other_end.startswith("Cy")


async def test_a_label_is_returned_in_the_requested_format_or_refused(app: App) -> None:
    order_id = await make_order(app, packages=[{}, {}])
    path = f"/v1/orders/{order_id}/label"
    whole = (await app.rest("admin", "GET", path)).json()
    numbers = [label["tracking_number"] for label in whole["data"]]
    assert "document" not in whole

    async def printed(accept: str) -> bytes:
        answer = await app.rest("admin", "GET", path, headers={"Accept": accept})
        assert answer.headers["content-type"].partition(";")[0] == accept
        return answer.content

    assert (await printed("application/zpl")).decode() == "\n".join(whole["labels"])
    pages = pictures_of(await printed("application/pdf"))
    assert [codes_in(page) for page in pages] == [{("Code128", number)} for number in numbers]
    assert codes_in(picture_of(await printed("image/png"))) == {("Code128", number) for number in numbers}
    assert (await app.rest("admin", "GET", f"{path}?format=gif")).status_code == 422
    assert (await app.rest("admin", "GET", path, headers={"Accept": "image/gif"})).status_code == 406


async def test_a_single_package_label_can_be_printed(app: App) -> None:
    order_id = await make_order(app, packages=[{}, {}])
    asked = {"order_id": order_id, "format": "pdf", "piece": 2}
    answer = await app.answer("admin", "print_local_label", asked)
    (page,) = pictures_of(b64decode(answer.document))
    assert codes_in(page) == {("Code128", answer.data[0].tracking_number)}
    assert [label.piece for label in answer.data] == [2]
    assert (await app.call("admin", "print_local_label", {**asked, "piece": 3})).status == 404


async def test_a_rendered_label_shows_shipper_and_consignee_in_the_callers_language(app: App) -> None:
    order_id = await make_order(
        app,
        type="P",
        shipper=make_contact(name="Bo"),
        consignee=make_contact(name="王小明", city="臺北市"),
        cod_minor=1250,
    )
    headers = {"Accept": "application/pdf", "Accept-Language": "zh-Hant"}
    answer = await app.rest("admin", "GET", f"/v1/orders/{order_id}/label", headers=headers)
    (text,) = text_of(answer.content)
    lines = text.splitlines()
    assert lines.index("寄件人") < lines.index("Bo") < lines.index("收件人") < lines.index("王小明")
    assert {"代收貨款 12.50 CAD", "第 1 件，共 1 件"} <= set(lines)
    assert any(line.startswith("到府取件") for line in lines)
