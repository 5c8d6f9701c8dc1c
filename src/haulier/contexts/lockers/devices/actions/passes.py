"""Connection passes: credentials that persistent connections use internally.

They replace the device's credential in frames of a verified connection. Only this server issues them, and none leaves
it. Each frame checks that the device may still connect.
"""

from haulier.kernel.values.sealing import SealedKind, seal, unseal

_MARK = "hlwire_"


def make_pass(client_id: int, device_id: int) -> str:
    """Return the pass that replaces the credential in frames of a device's connection."""
    return _MARK + seal(SealedKind.DEVICE_PASS, f"{client_id}_{device_id}".encode())


def read_pass(shown: str) -> tuple[int, int] | None:
    """Return the client and the device of a pass, or None for other text."""
    content = unseal(SealedKind.DEVICE_PASS, shown.removeprefix(_MARK)) if shown.startswith(_MARK) else None
    if content is None:
        return None
    client_id, device_id = content.split(b"_")
    return int(client_id), int(device_id)
