"""Runs the survey's cases of memory, semaphores and graphs under the check, and prints what is found in each.

    survey_cases.py CHECK SURVEY RESULTS

RESULTS is survey/results.json, which has the names of the cases and what drivers answer. A case ends without a teardown, so
not-freed is left out."""

import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

GROUPS = ["import-memory", "import-semaphore", "sizes", "teardown", "invalid-memory", "invalid-semaphores", "invalid-graphs"]
WORKERS = 12
check, survey, results = sys.argv[1:]


def run(case):
    group, name = case
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [check, "--error-exitcode", "0", "--suppress", "not-freed", "--json", report.name]
        command += ["timeout", "-s", "KILL", "15", survey, "--case", group, name]
        ended = subprocess.run(command, capture_output=True)
        found = json.load(open(report.name))["counts"]
        answer = ended.stdout.decode(errors="replace").strip().replace("\n", "; ")
        if ended.returncode > 128:
            answer += f" signal {ended.returncode - 128}"
        return f"{', '.join(sorted(found)) or '-'} | {answer[:90]}"


answers = json.load(open(results))["answers"]
cases = [(group, name) for group in GROUPS for name in answers[group]]
with ThreadPoolExecutor(WORKERS) as workers:
    found = list(workers.map(run, cases))
print("| group | case | driver alone | rules | answer under the check |\n|---|---|---|---|---|")
for (group, name), rules in zip(cases, found):
    alone = answers[group][name]
    alone = alone if isinstance(alone, str) else json.dumps(alone)
    print(f"| {group} | {name} | {re.sub(chr(10), ' ', alone)[:90]} | {rules} |")
nothing = sum(rules.startswith("-") for rules in found)
print(f"\n{len(cases)} cases: something is found in {len(cases) - nothing}, nothing in {nothing}")
