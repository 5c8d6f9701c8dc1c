"""Passes of connections: a wire that knows whose connection a frame came over says so without the device's credential.

Only this server can issue one, and none leaves it. Each frame checks that the device may still speak.
"""

from haulier.kernel.values.sealing import SealedKind, seal, unseal

_MARK = "hlwire_"


def make_pass(client_id: int, device_id: int) -> str:
    """Return the text that replaces a credential in a frame from the connection of a device."""
    return _MARK + seal(SealedKind.DEVICE_PASS, f"{client_id}_{device_id}".encode())


def read_pass(shown: str) -> tuple[int, int] | None:
    """Return the client and the device of a pass, or None for anything else."""
    content = unseal(SealedKind.DEVICE_PASS, shown.removeprefix(_MARK)) if shown.startswith(_MARK) else None
    if content is None:
        return None
    client_id, device_id = content.split(b"_")
    return int(client_id), int(device_id)
