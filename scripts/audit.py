"""Known vulnerabilities among the pinned dependencies, as far as anybody can be asked.

Passes when there are none. Without a network nobody can be asked: that is said loudly, and fails only where `AUDIT=required`.
Everything else that goes wrong is a failure: a check that could not run for another reason must not look as if it passed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

UNREACHABLE = re.compile(
    r"connection ?error|connect(ion)? timeout|connecttimeout|proxyerror|max retries|name resolution|name or service|"
    r"could not connect|network is unreachable|timed out|temporary failure",
    re.IGNORECASE,
)
PATIENCE_S = 300


def main(auditor: str, requirements: str) -> int:
    """Ask, and tell what came of it. 0 for none found or nobody reachable, else 1."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        asked = [auditor, "--disable-pip", "--require-hashes", "-r", requirements, "--progress-spinner", "off"]
        try:
            ran = subprocess.run(
                [*asked, "--format", "json", "--output", str(report)],
                text=True,
                capture_output=True,
                timeout=PATIENCE_S,
                check=False,
            )
            said = ran.stderr
        except subprocess.TimeoutExpired:
            said = "timed out"
        return verdict(report.read_text() if report.exists() else None, said)


def verdict(report: str | None, said: str) -> int:
    """What a report means; without one, what the auditor said about why."""
    if report is None:
        if not UNREACHABLE.search(said):
            print(f"audit FAILED to run:\n{said}", file=sys.stderr)
            return 1
        return not_run("the advisory service is unreachable")
    packages = json.loads(report)["dependencies"]
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    if len(skipped) == len(packages):  # a mirror of packages without their advisories
        return not_run("whoever answers for the advisory service knows none of the packages")
    found = [(each["name"], each["version"], flaw) for each in packages for flaw in each.get("vulns", ())]
    for name, version, flaw in found:
        fixed = ", ".join(flaw.get("fix_versions", ())) or "no version yet"
        print(f"{name} {version}: {flaw['id']}, fixed in {fixed}", file=sys.stderr)
    if skipped:
        print(f"audit FAILED to look at: {', '.join(skipped)}", file=sys.stderr)
    if not (found or skipped):
        print(f"audit: no known vulnerability in {len(packages)} packages")
    return 1 if found or skipped else 0


def not_run(why: str) -> int:
    """Nobody could be asked: no reason to stop work, and none to believe that all is well."""
    print(f"audit NOT RUN: {why}. Nothing is known about the dependencies.")
    return 1 if os.environ.get("AUDIT") == "required" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
