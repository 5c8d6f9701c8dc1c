"""The thirteen jobs of a delivery business, and what each may cost a person."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.web.jobs import office_jobs, other_jobs, road_jobs
from tests.web.jobs.stage import Stage


@dataclass(frozen=True)
class Job:
    """A task with its limits of clicks, keys and seconds of waiting."""

    play: Callable[[Stage], None]
    clicks: int
    keys: int
    seconds: float
    """Of waiting for the machine, all pages together. Measured by `python -m bench.jobs`, and no test asserts it."""

    @property
    def name(self) -> str:
        """Return the name of the task."""
        return self.play.__name__.replace("_", " ")


JOBS = (
    Job(road_jobs.first_start_to_the_first_delivered_parcel, clicks=18, keys=145, seconds=20),
    Job(office_jobs.run_phone_order, clicks=5, keys=45, seconds=3),
    Job(office_jobs.run_import_with_invalid_rows, clicks=9, keys=5, seconds=8),
    Job(office_jobs.build_correct_and_publish_a_day, clicks=6, keys=8, seconds=15),
    Job(office_jobs.run_van_breakdown, clicks=8, keys=8, seconds=4),
    Job(office_jobs.print_40_labels, clicks=8, keys=0, seconds=8),
    Job(road_jobs.run_driver_offline, clicks=12, keys=15, seconds=8),
    Job(road_jobs.run_recipient_changes_day, clicks=5, keys=20, seconds=4),
    Job(other_jobs.run_contractors_week, clicks=25, keys=65, seconds=10),
    Job(other_jobs.run_contractors_payday, clicks=13, keys=25, seconds=6),
    Job(other_jobs.run_quote_to_proof, clicks=9, keys=45, seconds=5),
    Job(other_jobs.run_first_webhook, clicks=10, keys=70, seconds=8),
    Job(other_jobs.the_owners_monday_figures, clicks=7, keys=0, seconds=4),
)
