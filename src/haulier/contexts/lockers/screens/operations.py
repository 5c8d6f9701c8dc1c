"""Operations on screens."""

from datetime import timedelta

from haulier.contexts.lockers.devices.queries import find_command
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE
from haulier.contexts.lockers.parcels.queries import list_parcels
from haulier.contexts.lockers.parcels.rules import LOCKER_STEP_REFUSED, LOCKER_WITHOUT_DEVICE
from haulier.contexts.lockers.screens import store
from haulier.contexts.lockers.screens.actions import act_as_screen, enter_code, make_courier_code, record_seen
from haulier.contexts.lockers.screens.contract import (
    CourierCode,
    CreateCourierCode,
    CreateLockerScreen,
    EnterLockerCode,
    ListLockerScreens,
    LockerCodeVerdict,
    LockerScreenAnswer,
    LockerScreenKey,
    LockerScreenList,
    LockerScreenRef,
    LockerScreenState,
    ShowLockerScreen,
)
from haulier.contexts.lockers.screens.queries import screen_state
from haulier.contexts.lockers.screens.rules import ERRANDS_MAX, LOCKER_SCREEN_UNKNOWN
from haulier.contexts.lockers.screens.serializers import door_record, errand_record, screen_record
from haulier.contexts.lockers.screens.store import LockerScreenRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.ids import hash_token, make_opaque_token

SCREENS_PATH = "/v1/lockers/sites/{site_id}/screens"
ANYBODY = {Account.PUBLIC}
EVERY_FEW_SECONDS = (
    "a screen asks every few seconds what to show; its row says when it did last, and doors are commands"
)


@writes(
    "create_locker_screen",
    replayable=False,
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", SCREENS_PATH), GraphQL("createLockerScreen")),
    errors=(NOT_FOUND,),
)
async def create_locker_screen(call: Call, request: CreateLockerScreen) -> LockerScreenKey:
    """Create a locker screen for a site.

    The key is shown only once. Anyone with the key can try codes at the screen.
    """
    site, key = await get_site(call, request.site_id), make_opaque_token("hlscreen")
    values = {"site_id": site.id, "name": request.name, "key_sha256": hash_token(key), "wrong_codes": 0}
    id = await LockerScreenRow.insert(call.work, **{**values, "created_at": call.now})
    return LockerScreenKey(screen=(await _answer(call, id)).screen, screen_key=key)


@reads(
    "list_locker_screens",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SCREENS_PATH), GraphQL("lockerScreens")),
    errors=(NOT_FOUND,),
)
async def list_locker_screens(call: Call, request: ListLockerScreens) -> LockerScreenList:
    """List the screens of a site, newest first.

    Includes the time of their last request.
    """
    site = await get_site(call, request.site_id)
    rows, total = await store.list_screen_rows(
        call.work, site.id, ended=request.ended, limit=request.per_page, offset=request.offset
    )
    shown = [screen_record(call, row) for row in rows]
    return LockerScreenList(total=total, page=request.page, per_page=request.per_page, screens=shown)


@writes(
    "end_locker_screen",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/lockers/screens/{screen_id}"), GraphQL("endLockerScreen")),
    errors=(NOT_FOUND,),
)
async def end_locker_screen(call: Call, request: LockerScreenRef) -> LockerScreenAnswer:
    """End a locker screen.

    Its key stops working. Repeating the call changes nothing.
    """
    row = await LockerScreenRow.lock(call.work, request.screen_id)
    if row is None:
        raise record_not_found(screen_id=request.screen_id)
    if row.ended_at is None:
        await LockerScreenRow.update(call.work, row.id, {"ended_at": call.now})
    return await _answer(call, row.id)


@writes(
    "create_courier_code",
    replayable=False,
    audience=OFFICE | {Account.DRIVER},
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/lockers/sites/{site_id}/courier-codes"), GraphQL("createCourierCode")),
    errors=(NOT_FOUND,),
)
async def create_courier_code(call: Call, request: CreateCourierCode) -> CourierCode:
    """Create a courier code for a site.

    The courier deposits and retrieves parcels at the screens of the site for some hours.
    """
    site, expires_at = await get_site(call, request.site_id), call.now + timedelta(hours=request.hours)
    code = await make_courier_code(call, site.id, expires_at)
    call.add_audit_subjects("locker_site", site.id)
    return CourierCode(site_id=site.id, code=code, expires_at=call.local_time(expires_at))


@writes(
    "show_locker_screen",
    replayable=False,
    unaudited=EVERY_FEW_SECONDS,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/locker-screen"),),
    errors=(LOCKER_SCREEN_UNKNOWN,),
)
async def show_locker_screen(call: Call, request: ShowLockerScreen) -> LockerScreenState:
    """Retrieve the content of a locker screen.

    Returns the site, free compartments, available actions and the door opened last.
    """
    own, screen = await act_as_screen(call, request.screen_key)
    await record_seen(own, screen)
    command = await find_command(own, request.command_id) if request.command_id else None
    door = await door_record(own, command, screen.site_id) if command else None
    return await screen_state(own, screen, door)


@writes(
    "enter_locker_code",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/locker-screen/codes"),),
    limits=(RateLimit(600, 3600, ("address",)),),
    errors=(LOCKER_SCREEN_UNKNOWN, NOT_FOUND, LOCKER_STEP_REFUSED, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE),
)
async def enter_locker_code(call: Call, request: EnterLockerCode) -> LockerCodeVerdict:
    """Enter a code at a locker screen.

    A recipient's or sender's code opens their compartment. A courier's code lists their tasks, and the courier names
    the parcel to open. After five wrong codes the screen is locked for 15 minutes.
    """
    own, screen = await act_as_screen(call, request.screen_key, lock=True)
    own.add_audit_subjects("locker_screen", screen.id)
    code, parcel_id = request.code.get_secret_value(), request.locker_parcel_id
    outcome = await enter_code(own, screen, code, parcel_id=parcel_id, low=request.low)
    live = {"site_id": screen.site_id, "ended_at": None}
    rows = (await list_parcels(own, live, limit=ERRANDS_MAX, offset=0))[0] if outcome.courier else ()
    return LockerCodeVerdict(
        accepted=outcome.command is not None or outcome.courier is not None,
        door=await door_record(own, outcome.command, screen.site_id) if outcome.command else None,
        errands=[errand for row in rows if (errand := errand_record(row))],
        tries_left=outcome.tries_left,
        rests_until=own.local_time(outcome.rests_until) if outcome.rests_until else None,
    )


async def _answer(call: Call, screen_id: int) -> LockerScreenAnswer:
    row = await LockerScreenRow.get(call.work, screen_id)
    assert row is not None
    call.add_audit_subjects("locker_screen", row.id)
    return LockerScreenAnswer(screen=screen_record(call, row))
