"""A valid request for each operation on the weekly report."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_weekly_report": {},
    "set_weekly_report": {"enabled": True},
    "preview_weekly_report": {"week": "2026-06-08"},
}
