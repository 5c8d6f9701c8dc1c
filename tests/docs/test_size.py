"""The page on the size of the source code matches its command."""

from pathlib import Path

from scripts.size import (
    PAGE,
    Reach,
    Size,
    list_labels,
    list_write_operations,
    measure_reach,
    read_modules,
    render_page,
)

FILES = {
    "family/operations.py": """
from haulier.contexts.shop.family import store
from haulier.contexts.shop.family.contract import Sale

@writes("sell")
async def sell(call, request: Sale):
    return await store.insert_sale(call)

@reads("list_sales")
async def list_sales(call, request):
    return await store.list_sales(call)
""",
    "family/contract.py": "class Sale:\n    price: int\n",
    "family/store.py": """
from haulier.contexts.shop.other.public import limit
from haulier.kernel.data import work

async def insert_sale(call):
    return work(limit)

async def list_sales(call):
    return []
""",
    "other/public.py": "from haulier.contexts.shop.other.rules import limit as limit\n",
    "other/rules.py": "limit = 3\n",
}


def test_the_page_has_the_rows_written_by_the_command() -> None:
    assert list_labels(PAGE.read_text()) == list_labels(render_page(Size(1, 1, 1, 1, 0.5, 1, 1, 1, 1)))


def test_the_files_needed_for_a_write_include_required_definitions(tmp_path: Path) -> None:
    for name, text in FILES.items():
        path = tmp_path / "haulier/contexts/shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    modules = read_modules(tmp_path)
    (operation,) = list_write_operations(modules)
    assert operation == ("haulier.contexts.shop.family.operations", "sell")
    assert measure_reach(modules, operation) == Reach(files=4, lines=8)
