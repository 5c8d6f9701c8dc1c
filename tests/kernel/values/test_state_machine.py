"""A state machine and its diagram follow its table."""

import re
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.kernel.values.state_machine import StateMachine


class Lamp(StrEnum):
    NEW = "new"
    OFF = "off"
    ON = "on"
    BROKEN = "broken"


class Press(StrEnum):
    MOUNT = "mount"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    DIM = "dim"
    DROP = "drop"


class CannotPress(Exception):
    pass


TABLE = {
    Press.MOUNT: {Lamp.NEW: Lamp.OFF},
    Press.SWITCH_ON: {Lamp.OFF: Lamp.ON},
    Press.SWITCH_OFF: {Lamp.ON: Lamp.OFF},
    Press.DIM: {Lamp.ON: Lamp.ON},
    Press.DROP: {Lamp.ON: Lamp.BROKEN, Lamp.NEW: Lamp.BROKEN, Lamp.OFF: Lamp.BROKEN},
}
TABLES = st.dictionaries(
    st.sampled_from(Press), st.dictionaries(st.sampled_from(Lamp), st.sampled_from(Lamp)), min_size=1
)


def make_machine(table: dict[Press, dict[Lamp, Lamp]], **options: bool) -> StateMachine[Lamp, Press]:
    return StateMachine(
        table, created={Lamp.NEW: "buy"}, error=lambda action, status: CannotPress(action, status), **options
    )


def test_an_action_follows_the_table_and_raises_the_machines_error_otherwise() -> None:
    machine = make_machine(TABLE)
    assert machine.next_status(Press.SWITCH_ON, Lamp.OFF) is Lamp.ON
    assert machine.next_status(Press.SWITCH_ON, Lamp.BROKEN) is None
    assert machine.next_status_or_raise(Press.DIM, Lamp.ON) is Lamp.ON
    with pytest.raises(CannotPress) as raised:
        machine.next_status_or_raise(Press.SWITCH_ON, Lamp.BROKEN)
    assert raised.value.args == (Press.SWITCH_ON, Lamp.BROKEN)


def test_allowed_actions_and_final_statuses_are_known() -> None:
    machine = make_machine(TABLE)
    assert machine.actions(Lamp.ON) == (Press.SWITCH_OFF, Press.DIM, Press.DROP)
    assert machine.actions(Lamp.BROKEN) == ()
    assert machine.terminal == {Lamp.BROKEN}


def test_the_diagram_follows_the_order_of_the_table_and_the_statuses() -> None:
    assert make_machine(TABLE).mermaid() == (
        "stateDiagram-v2\n"
        "    [*] --> new: buy\n"
        "    new --> off: mount\n"
        "    off --> on: switch_on\n"
        "    on --> off: switch_off\n"
        "    new --> broken: drop\n"
        "    off --> broken: drop\n"
        "    on --> broken: drop\n"
        "    broken --> [*]\n"
    )
    assert "    on --> on: dim\n" in make_machine(TABLE, draws_stays=True).mermaid()


def test_a_record_can_start_in_several_statuses_and_labels_can_differ_from_values() -> None:
    machine = StateMachine(
        TABLE, created={Lamp.NEW: "", Lamp.OFF: "find"}, error=CannotPress, label=lambda status: status.name
    )
    assert machine.mermaid().startswith(
        "stateDiagram-v2\n    [*] --> NEW\n    [*] --> OFF: find\n    NEW --> OFF: mount\n"
    )


@given(TABLES)
def test_transitions_and_diagram_agree_for_any_table(table: dict[Press, dict[Lamp, Lamp]]) -> None:
    machine = make_machine(table, draws_stays=True)
    arrows = {(start, end, action) for action, moves in table.items() for start, end in moves.items()}
    answered = {
        (status, machine.next_status_or_raise(action, status), action)
        for status in Lamp
        for action in machine.actions(status)
    }
    drawn = {
        (Lamp(match[1]), Lamp(match[2]), Press(match[3]))
        for match in re.finditer(r"^    (\w+) --> (\w+): (\w+)$", machine.mermaid(), re.MULTILINE)
    }
    assert answered == drawn == arrows
    assert machine.terminal == {status for status in Lamp if all(a != status or b == status for a, b, _ in arrows)}
    assert {line.split()[0] for line in machine.mermaid().splitlines() if line.endswith("--> [*]")} == machine.terminal
