"""Check of the pinned dependencies for known vulnerabilities.

It passes if there are none. Without a network the check cannot run: this is printed, and fails only with
`AUDIT=required`. Any other error fails, so that a broken check never appears to pass.
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
    """Run the audit and print the result; return 1 for findings or errors."""
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
    """Evaluate a report; without one, evaluate the error output of the auditor."""
    if report is None:
        if not UNREACHABLE.search(said):
            print(f"audit FAILED to run:\n{said}", file=sys.stderr)
            return 1
        return not_run("the advisory service is unreachable")
    packages = json.loads(report)["dependencies"]
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    if len(skipped) == len(packages):  # a package mirror without advisories
        return not_run("the advisory service knows none of the packages")
    found = [(each["name"], each["version"], flaw) for each in packages for flaw in each.get("vulns", ())]
    for name, version, flaw in found:
        fixed = ", ".join(flaw.get("fix_versions", ())) or "no version yet"
        print(f"{name} {version}: {flaw['id']}, fixed in {fixed}", file=sys.stderr)
    if skipped:
        print(f"audit FAILED to check: {', '.join(skipped)}", file=sys.stderr)
    if not (found or skipped):
        print(f"audit: no known vulnerability in {len(packages)} packages")
    return 1 if found or skipped else 0


def not_run(why: str) -> int:
    """Print that the audit did not run; return 1 only if it is required."""
    print(f"audit NOT RUN: {why}. The dependencies were not checked.")
    return 1 if os.environ.get("AUDIT") == "required" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
