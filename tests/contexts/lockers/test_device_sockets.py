"""Devices over WebSockets: the same frames, pushed commands, broken connections."""

from tests.contexts.lockers.makers import MOMENT, make_cabinet, make_requested_door, online, state_of
from tests.contexts.lockers.sockets import Socket, greeted
from tests.support.app import App


async def test_a_command_is_pushed_and_repeated_after_a_dropped_connection(app: App) -> None:
    cabinet = await make_cabinet(app)
    first = await greeted(app, cabinet.credential)
    first.say(type="state", sequence=1, sent_at=MOMENT, session="begin")
    assert (await first.answer(1))["answer"]["commands_waiting"] == 0
    command_id = await make_requested_door(app, cabinet)
    (command,) = await first.commands(1)
    assert (command["id"], command["command"], command["box"]) == (command_id, "open", 1)
    assert await state_of(app, cabinet, command_id) == "sent"
    await first.cut()
    assert not await online(app, cabinet)
    second = await greeted(app, cabinet.credential)
    second.say(type="state", sequence=2, sent_at=MOMENT, session="begin")
    assert [each["id"] for each in await second.commands(1)] == [command_id]
    for _ in range(2):
        second.say(type="outcome", sequence=3, command_id=command_id, outcome="done")
    told = [(await second.answer(3, count))["answer"] for count in (1, 2)]
    assert [(each["status"], each["repeated"]) for each in told] == [("done", False), ("done", True)]
    assert await online(app, cabinet)
    await second.cut()


async def test_closing_an_old_connection_does_not_close_the_new_one(app: App) -> None:
    cabinet = await make_cabinet(app)
    old, new = await greeted(app, cabinet.credential), await greeted(app, cabinet.credential)
    for socket, number in ((old, 1), (new, 2)):
        socket.say(type="state", sequence=number, sent_at=MOMENT, session="begin")
        await socket.answer(number)
    await old.cut()
    assert await online(app, cabinet)
    await new.cut()
    assert not await online(app, cabinet)


async def test_a_revoked_device_is_disconnected_immediately(app: App) -> None:
    cabinet = await make_cabinet(app)
    socket = await greeted(app, cabinet.credential)
    await app.answer("admin", "revoke_device", {"device_id": cabinet.device_id})
    assert await socket.until(lambda each: each.closed) == 4401
    again = await greeted(app, cabinet.credential)
    assert (again.closed, again.heard) == (4401, [])


async def test_an_invalid_frame_is_refused_and_the_connection_stays_open(app: App) -> None:
    cabinet = await make_cabinet(app)
    for wrong in ("nothing", "[]", '{"type": "state"}'):
        stranger = Socket(app)
        stranger.send(wrong)
        assert await stranger.until(lambda each: each.closed) == 4401
    socket = await greeted(app, cabinet.credential)
    for number, text in enumerate(("{", '{"sequence": 1}', '{"type": "dance", "sequence": 1}'), 1):
        socket.send(text)
        await socket.until(lambda each, wanted=number: len(each.heard) > wanted)
    codes = [each["error"]["code"] for each in socket.heard[1:]]
    assert codes == ["MALFORMED_JSON", "INVALID_REQUEST", "INVALID_REQUEST"]
    assert socket.heard[-1]["error"]["errors"][0]["field"] == "type"
    socket.say(type="state", sequence=7)
    refused = await socket.answer(7)
    assert (refused["status"], refused["error"]["errors"][0]["field"]) == (422, "sent_at")
    socket.say(type="poll", sequence=8)
    assert (await socket.answer(8))["answer"]["commands"] == []
    await socket.cut()


async def test_a_repeated_wrong_code_counts_as_one_attempt(app: App) -> None:
    cabinet = await make_cabinet(app)
    socket = await greeted(app, cabinet.credential)
    for number in (1, 1, 2):
        socket.say(type="code", sequence=number, code="00000000")
    told = [(await socket.answer(*which))["answer"]["tries_left"] for which in ((1, 1), (1, 2), (2, 1))]
    assert told == [4, 4, 3]
    await socket.cut()
