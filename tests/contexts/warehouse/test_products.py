"""Products and their barcodes."""

from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.warehouse.makers import make_product
from tests.support.app import App

from haulier.contexts.warehouse.products.rules import barcode_key, is_gtin


async def test_a_product_is_found_by_a_barcode_with_or_without_leading_zeros(app: App) -> None:
    product_id = await make_product(app, barcodes=["4006381333931", "SHELF-7"])
    for barcode in ("4006381333931", "04006381333931", "SHELF-7"):
        answer = await app.answer("admin", "list_products", {"barcode": barcode})
        assert [product.id for product in answer.products] == [product_id], barcode
    assert (await app.answer("admin", "list_products", {"barcode": "14006381333938"})).products == []


async def test_a_barcode_belongs_to_one_product_until_it_is_removed(app: App) -> None:
    first = await make_product(app, barcodes=["SHELF-7"])
    refused = await app.call("admin", "create_product", {"sku": "PLATE", "name": "Plate", "barcodes": ["SHELF-7"]})
    assert refused.error
    assert refused.error["code"] == "PRODUCT_BARCODE_TAKEN"
    await app.answer("admin", "update_product", {"product_id": first, "name": "Mug"})
    assert await make_product(app, "PLATE", barcodes=["SHELF-7"])


async def test_products_are_listed_by_sku_in_pages(app: App) -> None:
    for sku in ("MUG-2", "MUG-1", "mug", "PLATE"):
        await make_product(app, sku)
    seen: list[str] = []
    cursor = None
    while cursor or not seen:
        page = await app.answer("admin", "list_products", {"search": "MUG", "per_page": 1, "cursor": cursor})
        seen += [product.sku for product in page.products]
        cursor = page.next_cursor
    assert seen == ["MUG-1", "MUG-2", "mug"]


@given(st.text("0123456789", min_size=7, max_size=13))
def test_a_gtin_has_one_key_for_all_its_lengths(digits: str) -> None:
    check = next(last for last in "0123456789" if is_gtin(digits + last))
    assert len({barcode_key((digits + check).zfill(length)) for length in (8, 12, 13, 14) if length > len(digits)}) == 1
