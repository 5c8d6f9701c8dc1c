"""Parameters of the hints of findings."""

FINDING_HINTS: dict[str, tuple[str, ...]] = {
    "leave_out": (),
    "split": ("max",),
    "identifiers": (),
    "time": (),
    "offset": (),
    "allowed": ("allowed",),
    "experimental": (),
    "did_you_mean": ("suggestion",),
    "other_profile": ("other",),
    "reason_object": (),
    "country": (),
    "unlocode": (),
    "sscc": (),
    "gln": (),
    "url": (),
    "version": (),
    "late": (),
    "summary": (),
    "extensions": (),
    "step_back": (),
    "clock": (),
}
"""Each hint with the parameters that its message shows."""
