"""
Write the page of each policy in `docs/policies/`, and the list of them: `python scripts/policy_pages.py`.

What a rule says of itself comes from `policies/index.json`; why it is there and what mends it was written by hand, in
`docs/policies/words.yaml`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "policies"
INDEX = ROOT / "policies" / "index.json"
Entry = Mapping[str, str]
Words = Mapping[str, Mapping[str, str]]
ASKED: Mapping[str, str] = {
    "waivers": "once in a run, with the first resource",
    "tier": "each tier of ours, and each raw resource of a cloud that is one, before it is made",
    "foreign": "each raw resource of a cloud that is a file system or an object store, before it is made",
    "requirement": "each `TieredStorage`, and what its parts state as required, before they are made",
    "alone": "each resource of the program that it concerns, before it is made",
    "stack": "the plan as a whole, after all resources are known",
    "program": "all resources of the program together, ours or not, after all are known",
    "parts": "each `TieredStorage` with its parts, after all resources are known",
    "waived": "at the end of a run",
}
LIMITS = """
| property | default | meaning |
|---|---|---|
| `factor` | 1 | multiplies what is required, headroom included; a number from 1 up |
| `required` | none | what must be carried, where nothing else says it: {totals} |

```json
{{"{name}": {{"factor": 1.1}}}}
```
"""
WAIVERS = """
| property | default | meaning |
|---|---|---|
| `waivers` | none | a list; each names `rule`, `stack`, `reason`, `owner` and `until`, the last day (`2027-01-31`) |

```json
{{"{name}": {{"waivers": [
  {{"rule": "hot-write-bandwidth", "stack": "prod", "reason": "ports arrive in May",
    "owner": "storage@acme.example", "until": "2027-05-31"}}
]}}}}
```
"""
LEVEL_ONLY = """
Only the level can be set.

```json
{{"{name}": "{other}"}}
```
"""
TOTALS = "`readBytesPerS`, `writeBytesPerS`, `opRateOpsPerS`, `capacityBytes`, and `maxFill`"
CONFIGURATION = {"waivers": WAIVERS, "tier": LIMITS, "foreign": LIMITS}
CRITICAL = ("survive-durability", "cold-durability")


def entries() -> list[Entry]:
    """Every policy of the pack, in the order in which they are asked."""
    return cast("list[Entry]", json.loads(INDEX.read_text(encoding="utf-8"))["policies"])


def words() -> Words:
    """What people wrote, by rule."""
    return cast("Words", yaml.safe_load((PAGES / "words.yaml").read_text(encoding="utf-8")))


def pages() -> dict[str, str]:
    """File name -> text of every page."""
    own, said = entries(), words()
    return {f"{entry['name']}.md": page(entry, said[entry["name"]]) for entry in own if entry["name"] in said} | {
        "README.md": overview(own)
    }


def page(entry: Entry, said: Mapping[str, str]) -> str:
    """One policy."""
    other = "advisory" if entry["level"] == "mandatory" else "mandatory"
    settings = CONFIGURATION.get(entry["kind"], LEVEL_ONLY).format(name=entry["name"], other=other, totals=TOTALS)
    lines = [
        f"# {entry['name']}",
        "",
        entry["title"],
        "",
        f"Level: {entry['level']} · Severity: {entry['severity']} · Asked: {ASKED[entry['kind']]}",
        "",
        "## Why",
        "",
        said["why"],
        "",
        "## What mends it",
        "",
        said["mend"],
        "",
        "## Configuration",
        settings.rstrip(),
        "",
        _waivable(entry),
        "",
        "[All policies](README.md)",
    ]
    return "\n".join(lines) + "\n"


def _waivable(entry: Entry) -> str:
    if entry["severity"] == "critical" or entry["name"] in CRITICAL:
        return "Never waived: it guards against the loss of data, or of a whole tier."
    if entry["kind"] in ("waivers", "waived"):
        return "See [waivers](README.md#waivers)."
    return "Can be waived for one stack until a day: see [waivers](README.md#waivers)."


HEAD = """# The policies

`pulumi preview --policy-pack policies` (or `policies/run-pack`, the same as one executable file) judges a program by
these rules; `tierplan plan STACK` judges a stack file by the same functions, without an engine. A mandatory finding
refuses a preview and stops an `up`; an advisory one is shown.

What is required comes from, in this order: the stack's `tierplan:` configuration, the tier's own `need`, `required` in
the policies' configuration. With none of them a tier of ours cannot be judged, which refuses; a file system in
somebody's own program is judged for legality alone, with an advisory. A value that is known only after the deployment
cannot be judged either: give a plain value instead of an output of another resource.

## Configuration

One JSON file, handed over with `--policy-pack-config`, keeps levels, limits and waivers, apart from the stacks:

```json
{"hot-capacity": {"factor": 1.1},
 "advice-async-checkpoint": "mandatory",
 "stack-waivers": {"waivers": []}}
```

`"all": "mandatory"` sets the level of every policy, advice as well. A property that a policy does not know is a
finding.

## Waivers

A waiver lets one rule's findings pass in one stack, until a day. It stands under `stack-waivers`, names the rule, the
stack, a reason, an owner and the last day, and is shown with every finding that it covers by `advice-waived`, by
`tierplan plan STACK --waivers FILE` and in its JSON. It is refused when that day is over, when there is no such rule,
and when the rule guards against the loss of data or of a whole tier (severity critical, and the rules over durability).
What cannot be judged is never waived.

## Rules
"""


def overview(own: list[Entry]) -> str:
    """The list of all policies, by scope."""
    rows = [
        f"| [{entry['name']}]({entry['name']}.md) | {entry['level']} | {entry['severity']} | {entry['title']} |"
        for entry in sorted(own, key=lambda entry: (entry["level"] != "mandatory", entry["name"]))
    ]
    return "\n".join([HEAD, "| rule | level | severity | what it asks |", "|---|---|---|---|", *rows]) + "\n"


def main() -> int:
    """Write what is new or has changed, take away pages of rules that are gone; name rules that nobody described."""
    made = pages()
    for name, text in made.items():
        (PAGES / name).write_text(text, encoding="utf-8")
    for path in PAGES.glob("*.md"):
        if path.name not in made:
            path.unlink()
    missing = [entry["name"] for entry in entries() if entry["name"] not in words()]
    for name in missing:
        print(f"docs/policies/words.yaml says nothing of {name}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
