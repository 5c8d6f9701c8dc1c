"""Legacy file encodings.

Every import reads them, and the check shows the encoding.
"""

from base64 import b64encode
from typing import Any

from tests.contexts.datasets.makers import make_dataset
from tests.contexts.messaging.campaigns.makers import make_marketing_business
from tests.contexts.places.zone_makers import import_document
from tests.support.app import App

HEADER = "order_ref,name,address,city,country\n"
CHINESE = f"{HEADER}G-1,王小明,中山路12号,上海,CN\nG-2,李伟,人民路8号,北京,CN\n"


def packed(text: str, encoding: str) -> str:
    return b64encode(text.encode(encoding)).decode()


async def test_a_file_from_chinese_excel_is_imported_with_correct_names(app: App) -> None:
    request = {"document": packed(CHINESE, "gbk")}
    check = await app.answer("admin", "check_order_file", request)
    assert (check.encoding, check.faulty, [row.name for row in check.orders]) == ("gb18030", 0, ["王小明", "李伟"])
    await app.answer("admin", "import_orders", request)
    await app.work_off()
    orders = (await app.answer("admin", "get_orders", {"per_page": 10})).orders
    assert sorted((order.name, order.city) for order in orders) == [("李伟", "北京"), ("王小明", "上海")]


async def test_a_wrong_encoding_is_refused_with_the_file_field(app: App) -> None:
    for operation in ("check_order_file", "import_orders"):
        refused = await app.call("admin", operation, {"document": packed(CHINESE, "gbk"), "encoding": "utf-8"})
        assert refused.error
        assert refused.status == 422
        (error,) = refused.error["errors"]
        assert (error["field"], error["code"]) == ("document", "FILE_ENCODING_WRONG")
    refused = await app.call("admin", "check_order_file", {"document": packed(CHINESE, "gbk"), "encoding": "klingon"})
    assert refused.status == 422


async def imported_addresses(app: App, text: str, encoding: str) -> Any:
    started = await app.answer("admin", "import_addresses", {"document": packed(text, encoding)})
    await app.work_off()
    return started


async def test_address_imports_use_the_same_decoding_in_jobs_and_requests(app: App) -> None:
    text = "name,address,city,country\nŁukasz Kąkol,ul. Świętokrzyska 5,Łódź,PL\n"
    started = await imported_addresses(app, text, "iso-8859-2")
    assert started.encoding == "iso-8859-2"
    (address,) = (await app.answer("admin", "list_addresses")).addresses
    assert (address.name, address.city) == ("Łukasz Kąkol", "Łódź")


async def test_text_files_can_be_sent_as_base64_with_their_encoding(app: App) -> None:
    products = {"format": "csv", "content": packed("sku,name\nM-1,Кружка синяя\n", "windows-1251"), "encoding": "auto"}
    await app.answer("admin", "import_products", products)
    await app.work_off()
    (product,) = (await app.answer("admin", "list_products", {})).products
    assert product.name == "Кружка синяя"


async def test_a_place_import_reads_the_encoding_from_the_query(app: App) -> None:
    text = "name,lat,lng,category\nCafé Müller,43.6,-79.4,cafe\n"
    answer = await app.http.post(
        "/api/v1/points-of-interest/imports?encoding=macintosh",
        content=text.encode("mac-roman"),
        headers={"Authorization": f"Bearer {app.tokens['admin']}", "Content-Type": "text/csv"},
    )
    assert answer.status_code == 200, answer.text
    await app.work_off()
    (place,) = (await app.answer("admin", "list_points_of_interest", {})).points_of_interest
    assert place.name == "Café Müller"


async def test_every_import_reports_the_encoding_of_its_file(app: App) -> None:
    table = {
        "format": "csv",
        "content": packed("sku,name\nM-1,Кружка синяя\n", "windows-1251"),
        "encoding": "windows-1251",
    }
    products = (await app.answer("admin", "import_products", table)).stock_import
    shown = (await app.answer("admin", "get_stock_import", {"stock_import_id": products.id})).stock_import
    assert (products.encoding, shown.encoding) == ("windows-1251", "windows-1251")
    await make_marketing_business(app)
    table = {"content": packed("phone,name\n+48123456789,Łukasz\n", "iso-8859-2"), "encoding": "iso-8859-2"}
    contacts = (await app.answer("admin", "import_sms_contacts", table)).sms_import
    assert contacts.encoding == "iso-8859-2"
    dataset_id = await make_dataset(app)
    table = {"dataset_id": dataset_id, "format": "csv", "content": "code,bays\nD-1,4\n"}
    assert (await app.answer("admin", "import_dataset_records", table)).dataset_import.encoding == "utf-8"
    path, document = (
        "/v1/points-of-interest/imports?encoding=windows-1252",
        "name,lat,lng,category\nCafé,43.6,-79.4,cafe\n",
    )
    started = (await import_document(app, path, document.encode("windows-1252"), "text/csv")).json()
    place = await app.answer("admin", "get_place_import", {"place_import_id": started["place_import_id"]})
    assert (started["encoding"], place.place_import.encoding) == ("windows-1252", "windows-1252")
