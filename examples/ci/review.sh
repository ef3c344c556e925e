#!/usr/bin/env bash
# Review every stack that a change touches: preview it on the engine with the policy pack, and hold it against BASE.
#
#     review.sh BASE OUT
#
# Writes into OUT, for each stack: <stack>.md (the comment), <stack>.json (the preview's verdict), <stack>.events.jsonl
# and <stack>.log; for all: findings.sarif, code-quality.json, junit.xml. Exit code: the highest of 0 accepted,
# 1 refused, 2 a stack file cannot be read, 3 a fault. A stack that says `tierplan:expect: refused` has to be refused.
# TIERPLAN_ALLOW_REPLACE: names of resources that may be replaced, with spaces between.
# TIERPLAN_POLICY_CONFIG: the policies' configuration with its waivers (JSON), for preview, comparison and reports alike.
set -uo pipefail

base=${1:?"usage: review.sh BASE OUT"} out=${2:?"usage: review.sh BASE OUT"}
bin=.venv/bin
mkdir -p "$out"

from=$(git merge-base "$base" HEAD) || {
    echo "review: $base and HEAD have no common commit here; fetch the whole history" >&2
    exit 3
}
if [[ $base =~ ^[0-9a-f]{40}$ || $(git rev-parse "$base^{commit}") != "$from" ]]; then
    from=$(git rev-parse --short "$from")
else
    from=$base
fi
changed=$(git diff --name-only --no-renames "$from" HEAD)
stacks=$(sed -nE 's#^stacks/Pulumi\.([A-Za-z0-9_.-]{1,100})\.yaml$#\1#p' <<<"$changed")
# The program, the policies, the catalogue, or a file that stacks name: everything may be planned otherwise.
if grep -qE '^(Pulumi\.yaml|__main__\.py|components/|policies/|requirements/|tierplan/)' <<<"$changed" ||
    grep -E '^stacks/' <<<"$changed" | grep -qvE '^stacks/Pulumi\.[A-Za-z0-9_.-]+\.yaml$'; then
    stacks+=$'\n'$(sed -nE 's#^stacks/Pulumi\.([A-Za-z0-9_.-]{1,100})\.yaml$#\1#p' < <(git ls-files stacks))
fi
mapfile -t stacks < <(sort -u <<<"$stacks" | sed '/^$/d')
if ((${#stacks[@]} == 0)); then
    echo "review: the change touches no stack" >&2
    exit 0
fi

allowed=()
for name in ${TIERPLAN_ALLOW_REPLACE:-}; do
    allowed+=(--allow-replace "$name")
done
waivers=() configured=()
if [[ -n ${TIERPLAN_POLICY_CONFIG:-} ]]; then
    waivers=(--waivers "$TIERPLAN_POLICY_CONFIG")
    configured=(-- --policy-pack-config "$TIERPLAN_POLICY_CONFIG")
fi

# The comment of a stack that cannot be read, or whose comparison fails: what was said on standard error.
untold() {
    local stack=$1
    printf '<!-- tierplan:%s -->\n### tierplan: `%s` was not judged ⚠️\n\n```text\n' "$stack" "$stack"
    head -c 20000 "$out/$stack.log" | tr -d '`'
    printf '```\n'
}

# Preview and comparison of one stack; what it comes to.
review() {
    local stack=$1 file=stacks/Pulumi.$1.yaml preview=0 diff=0 expected=0
    local events=$out/$stack.events.jsonl words=()
    : >"$out/$stack.log"
    if [[ -e $file ]]; then
        "$bin/python" scripts/preview.py "$stack" --json --events "$events" "${configured[@]}" \
            >"$out/$stack.json" 2>"$out/$stack.log" || preview=$?
        if [[ -s $events ]]; then
            words+=(--events "$events")
        fi
    fi
    "$bin/tierplan" diff --from "$from" "$stack" "${words[@]}" "${allowed[@]}" "${waivers[@]}" --markdown \
        >"$out/$stack.md" 2>>"$out/$stack.log" || diff=$?
    if [[ ! -s $out/$stack.md ]]; then
        untold "$stack" >"$out/$stack.md"
    fi
    if [[ -e $file ]] && grep -qE '^ +tierplan:expect: *refused *$' "$file"; then
        expected=1
    fi
    if ((preview == expected && diff == expected)); then
        return 0
    fi
    return $((preview > diff ? preview : diff > 0 ? diff : 1))
}

worst=0
present=()
for stack in "${stacks[@]}"; do
    code=0
    review "$stack" || code=$?
    echo "review: $stack: exit code $code" >&2
    if ((code)); then
        cat "$out/$stack.log" >&2
    fi
    ((worst = code > worst ? code : worst))
    if [[ -e stacks/Pulumi.$stack.yaml ]]; then
        present+=("$stack")
    fi
done

if ((${#present[@]})); then
    for form in sarif:findings.sarif gitlab:code-quality.json junit:junit.xml; do
        "$bin/tierplan" plan --check "${present[@]}" "${waivers[@]}" --format "${form%%:*}" >"$out/${form#*:}" 2>/dev/null
    done
fi
exit "$worst"
