"""The everyday tasks in a browser, within limits of clicks and keys.

Every run plays each task once, in a rotating language, size and scheme; `make jobs` plays the whole matrix of six
languages, desktop and phone, light and dark.
"""

import itertools
import os

import pytest
from playwright.sync_api import Browser
from tests.web.browser import needs_chromium
from tests.web.jobs.jobs import JOBS, Job
from tests.web.jobs.plays import keep
from tests.web.jobs.stage import EVERY_TASTE, SCHEMES, SIZES, Stage, Taste, taste_of

pytestmark = needs_chromium
EVERYDAY = [(job, taste_of(number)) for number, job in enumerate(JOBS)]
FIRST_ON_A_PHONE = (JOBS[0], Taste("fr", "phone", "dark"))
EVERY_JOB = [*itertools.product(JOBS, EVERY_TASTE)]
PLAYED = EVERY_JOB if os.environ.get("JOBS_PLAYED") == "matrix" else [*EVERYDAY, FIRST_ON_A_PHONE]


@pytest.mark.parametrize(("job", "taste"), PLAYED, ids=lambda each: each.name if isinstance(each, Job) else str(each))
def test_each_task_meets_its_budget(
    demo_server: str, demo_database: str, browser: Browser, job: Job, taste: Taste
) -> None:
    stage = Stage(browser, demo_server, demo_database, taste)
    passed = False
    try:
        job.play(stage)
        clicks, keys, seconds = stage.spent
        print(f"{job.name}: {clicks} clicks, {keys} keys, {seconds:.1f} s of waiting")
        assert clicks <= job.clicks
        assert keys <= job.keys
        assert set().union(*(person.too_wide for person in stage.people)) == set()
        passed = True
    finally:
        keep(job.name, (taste.language, taste.size, taste.scheme), stage.spent, passed=passed)


def test_everyday_tasks_have_screenshots_in_each_language_size_and_colour_scheme() -> None:
    tastes = [taste for _, taste in EVERYDAY]
    assert len({(each.language, each.size) for each in tastes}) == 6 * len(SIZES)
    assert {each.size for each in tastes} == set(SIZES)
    assert len({(each.language, each.scheme) for each in tastes}) == 6 * len(SCHEMES)
