"""Passes of connections: a wire that knows whose connection a frame came over says so without the device's credential.

Only this process can make one and read it, and none leaves it. Whether the device may still speak is asked with each frame.
"""

import hmac
import secrets

_KEY = secrets.token_bytes(32)
_MARK = "hlwire"


def make_pass(client_id: int, device_id: int) -> str:
    """What stands in place of a credential in a frame that came over the connection of a device."""
    about = f"{_MARK}_{client_id}_{device_id}"
    return f"{about}_{_seal(about)}"


def read_pass(shown: str) -> tuple[int, int] | None:
    """The client and the device that a pass of this process is for; None for anything else."""
    about, _, seal = shown.rpartition("_")
    if not about.startswith(f"{_MARK}_") or not hmac.compare_digest(seal.encode(), _seal(about).encode()):
        return None
    _, client_id, device_id = about.split("_")
    return int(client_id), int(device_id)


def _seal(about: str) -> str:
    return hmac.digest(_KEY, about.encode(), "sha256").hex()
