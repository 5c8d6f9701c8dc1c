"""Order import: choose or paste a file, map columns, fix errors and import."""

import secrets
from base64 import b64encode
from typing import Any

from starlette.responses import RedirectResponse, Response

from haulier.contexts.orders.batches.operations import get_async_batch_result
from haulier.contexts.orders.order_imports.contract import MAX_FILE_TEXT
from haulier.contexts.orders.order_imports.operations import check_order_file, import_orders
from haulier.contexts.orders.order_imports.rules import FIELDS
from haulier.web.desk.forms import form_of
from haulier.web.desk.inputs import Presenter, TypedForm, read_typed
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.operations_client import read_form_fields

DEFAULTS = ("country", "scheduled_date", "customer_id", "encoding")
"""Values for rows that have none, and the encoding of the file."""
MAPPED = "mapping."
"""Before the name of a field: the column that it is read from."""
MAX_FORM_BYTES = MAX_FILE_TEXT * 3 // 2
"""Base64 in a form: its `+`, `/` and `=` are three signs each."""


async def import_orders_page(desk: DeskRequest) -> Response:
    """The form in which a file is chosen or rows are pasted."""
    return await _page(desk, {}) if desk.may(import_orders) else not_found(desk)


async def submit_order_file(desk: DeskRequest) -> Response:
    """Check a file, or import it once its columns are right."""
    if not desk.may(import_orders):
        return not_found(desk)
    form = dict(await read_form_fields(desk.request, MAX_FORM_BYTES))
    typed = await read_typed(desk, form_of(check_order_file.request), {name: [text] for name, text in form.items()})
    form = {name: texts[-1] for name, texts in typed.texts.items()}
    values = _asked(desk, form)
    if not desk.session.is_genuine_form(desk.request, form):
        return await _page(desk, values, notice=desk.say("sign_in.again"), status_code=403)
    if "document" not in values:
        return await _page(desk, values, notice=desk.say("desk.file_needed"), status_code=422)
    if typed.faults:
        return await _page(desk, values, typed=typed, status_code=422)
    if form.get("step") == "import":
        result = await desk.call(import_orders, values, idempotency_key=form.get("once"))
        if result.error is None:
            batch = plain_answer(result)["asyncId"]
            return RedirectResponse(act_address(get_async_batch_result, id=batch), 303)
    else:
        result = await desk.call(check_order_file, values)
    if result.error is not None:
        return await _page(desk, values, result=result, status_code=result.status)
    return await _page(desk, values, check=plain_answer(result))


def _asked(desk: DeskRequest, form: dict[str, str]) -> dict[str, Any]:
    """The request that a form stands for. Pasted rows are a CSV file."""
    typed = {name: [form[name]] for name in DEFAULTS if form.get(name)}
    values = form_of(check_order_file.request).values(typed, desk.session.time_zone)
    mapping = {name.removeprefix(MAPPED): column or None for name, column in form.items() if name.startswith(MAPPED)}
    document = form.get("document") or b64encode(form.get("rows", "").encode()).decode()
    return {
        **values,
        **({"document": document} if document else {}),
        **({"mapping": mapping} if mapping else {}),
        "format": "xlsx" if form.get("format") == "xlsx" else "csv",
    }


async def _page(
    desk: DeskRequest,
    values: dict[str, Any],
    *,
    result: Any = None,
    typed: TypedForm | None = None,
    status_code: int = 200,
    **more: Any,
) -> Response:
    fields = form_of(check_order_file.request).fields(values, desk.session.time_zone)
    presenter = Presenter(desk, typed)
    defaults = await presenter.present([field for field in fields if field.name in DEFAULTS])
    return desk.page(
        "desk_import_orders.html",
        status_code=status_code,
        defaults=defaults,
        pickers=presenter.suggestions,
        sent=values,
        order_fields=FIELDS,
        faults={**(field_faults(result) if result else {}), **(typed.faults if typed else {})},
        problem=result.error["message"] if result else desk.say("kinds.check_fields") if typed else None,
        once=secrets.token_urlsafe(16),
        call=import_orders,
        values={name: value for name, value in values.items() if name != "document"},
        **more,
    )
