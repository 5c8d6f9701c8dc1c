"""Page of map regions: installed ones, their progress, and the form that adds one."""

import asyncio
import secrets
from typing import Any

from babel.numbers import format_decimal
from starlette.responses import JSONResponse, RedirectResponse, Response

from haulier.contexts.places.map_regions.operations import (
    cancel_map_region_task,
    install_map_region,
    list_map_region_tasks,
    list_map_regions,
    remove_map_region,
)
from haulier.contexts.places.public import RegionFault, RegionInstalls
from haulier.kernel.values.batch_states import UNFINISHED
from haulier.web.desk.pages import DeskRequest, field_faults, not_found
from haulier.web.operations_client import read_body, read_form
from haulier.web.session import app_of

ADDRESS = "/desk/map-regions"
TASKS_SHOWN = 4
MAX_PART_BYTES = 8 * 1024 * 1024
"""Maximum size of one part of an upload."""
FIELDS = ("path", "upload", "region", "title")


async def map_regions_page(desk: DeskRequest) -> Response:
    """Show the installed regions."""
    return await _page(desk) if desk.may(list_map_regions) else not_found(desk)


async def start_installation(desk: DeskRequest) -> Response:
    """Start the installation that the form describes."""
    if not desk.may(install_map_region):
        return not_found(desk)
    form = await read_form(desk.request)
    values = {name: form[name].strip() for name in FIELDS if form.get(name, "").strip()}
    if not desk.session.is_genuine_form(desk.request, form):
        return await _page(desk, values, problem=desk.say("sign_in.again"), status_code=403)
    result = await desk.call(install_map_region, values, idempotency_key=form.get("once"))
    if result.error is None:
        return RedirectResponse(f"{ADDRESS}#tasks", 303)
    faults = field_faults(result)
    problem = next(iter(faults.values()), None) or result.error["message"]
    return await _page(desk, values, problem=problem, faults=faults, status_code=result.status)


async def append_upload(desk: DeskRequest) -> Response:
    """Store a part of a file and answer with its size so far."""
    answer = await desk.read_if_allowed(list_map_regions)
    genuine = desk.session.is_genuine_form(desk.request, {"csrf": desk.request.headers.get("x-csrf")})
    query = desk.request.query_params
    offset = query.get("offset", "")
    if not answer.get("may_manage") or not genuine:
        return JSONResponse({"message": desk.say("sign_in.again")}, 403)
    if not offset.isdecimal() or len(offset) > 15:
        return JSONResponse({"message": desk.say("page.not_found")}, 400)
    part = await read_body(desk.request, MAX_PART_BYTES)
    installs, upload = app_of(desk.request).adapter(RegionInstalls), desk.request.path_params["upload"]
    try:
        size = await asyncio.to_thread(installs.append_upload, upload, query.get("name", ""), int(offset), part)
    except RegionFault as fault:
        text = desk.say(f"map_region.fault_{fault.code}", region="", **fault.params)
        return JSONResponse({"message": text}, 507 if fault.code == "disk_full" else 422)
    return JSONResponse({"size": size})


async def _page(
    desk: DeskRequest,
    values: dict[str, str] | None = None,
    *,
    problem: str | None = None,
    faults: dict[str, str] | None = None,
    status_code: int = 200,
) -> Response:
    found = await desk.read(list_map_regions, {}) or {}
    listed = await desk.read(list_map_region_tasks, {"per_page": TASKS_SHOWN}) or {}
    tasks = listed.get("map_region_tasks", [])
    texts = {name: each[-1] for name, each in desk.texts.items() if name in FIELDS}
    return desk.page(
        "desk_map_regions.html",
        status_code=status_code,
        regions=[_shown(desk, each) for each in found.get("map_regions", [])],
        may_manage=bool(found.get("may_manage")),
        may_cancel=desk.may(cancel_map_region_task),
        may_remove=desk.may(remove_map_region),
        tasks=tasks,
        more=listed.get("total", 0) > TASKS_SHOWN,
        unfinished=UNFINISHED,
        under_way=any(task["state"] in UNFINISHED for task in tasks),
        given=texts if values is None else values,
        problem=problem,
        faults=faults or {},
        upload=secrets.token_urlsafe(16),
        once=secrets.token_urlsafe(16),
        call=list_map_regions,
        values={},
    )


def _shown(desk: DeskRequest, region: dict[str, Any]) -> dict[str, Any]:
    """Return a region with its numbers as the reader writes them."""
    megabytes, locale = region["size_bytes"] / 1_000_000, desk.formatter.locale
    size = format_decimal(megabytes, format="#,##0.#" if megabytes < 10 else "#,##0", locale=locale)
    counts = {name: format_decimal(region[name], locale=locale) for name in ("addresses", "streets") if region[name]}
    return {**region, **counts, "size": desk.say("map_regions.size", megabytes=size)}
