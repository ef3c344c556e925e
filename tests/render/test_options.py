"""Every product command, option and field in every rendered file is in a sourced table; nothing is made up."""

import json
import re
import shlex
from importlib import resources

import pytest
import yaml

TABLES = ("weka", "ceph-rgw")
# Programs of the operating system, whose options are not this table's matter.
SYSTEM_WORDS = """
[ [[ : awk bash blockdev break cat cd command curl declare df dirname echo exit export for grep hostname id local ls
lsblk lscpu mkdir mount nproc printf pwd python3 return scp sed seq set sh shift sleep sort ssh ssh-copy-id systemctl
tail timedatectl tr true umask wc mktemp rm
"""
SYSTEM = set(SYSTEM_WORDS.split())
RESERVED = {"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}"}


def table(name):
    text = resources.files("tierplan").joinpath(f"catalogue/options/{name}.yaml").read_text()
    return yaml.safe_load(text)


COMMANDS = {command: row for name in TABLES for command, row in table(name)["commands"].items()}
FIELDS = {}
for _name in TABLES:
    for _key, _row in table(_name)["fields"].items():
        FIELDS.setdefault(_key, set()).update(_row["names"])
PROGRAMS = {command.split()[0] for command in COMMANDS}


def substitutions(line):
    """A line without its $(…) and <(…), and what was in them; single-quoted text stays as it is."""
    plain, inner, index, quoted = "", [], 0, False
    while index < len(line):
        quoted ^= line[index] == "'" and not in_double(plain)
        if not quoted and line[index : index + 2] in ("$(", "<("):
            depth, end = 1, index + 2
            while depth:
                depth += {"(": 1, ")": -1}.get(line[end], 0)
                end += 1
            inner.append(line[index + 2 : end - 1])
            plain, index = plain + "SUBSTITUTED", end
        else:
            plain, index = plain + line[index], index + 1
    return plain, inner


def in_double(text):
    return re.sub(r"'[^']*'|\\.", "", text).count('"') % 2 == 1


def words_of(text):
    """Every simple command of a shell script, as words."""
    joined = re.sub(r"\$\(\(.*?\)\)", "NUMBER", text.replace("\\\n", " "))
    todo = [line for line in joined.splitlines() if not line.lstrip().startswith("#")]
    while todo:
        plain, inner = substitutions(todo.pop(0))
        todo = inner + todo
        lexer = shlex.shlex(plain, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        command = []
        for word in [*lexer, ";"]:
            if set(word) <= set(";&|()"):
                yield command
                command = []
            else:
                command.append(word)


def without_redirections(words):
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif set(word) <= set("<>"):
            skip = True
            if kept and kept[-1] == "2":
                kept.pop()
        else:
            kept.append(word)
    return kept


def commands_of(text):
    """The programs that a script calls, with their words; functions of its own are left out."""
    functions = set(re.findall(r"^\s*(\w+)\(\) \{", text, flags=re.MULTILINE))
    for words in words_of(text):
        rest = without_redirections(words)
        while rest and (rest[0] in RESERVED or re.match(r"\w+=", rest[0])):
            rest = rest[1:]
        if rest[:1] == ["on"]:  # on HOST COMMAND…
            rest = rest[2:]
        if rest[:1] == ["resources"]:  # passes its options on to the generator
            rest = ["resources_generator.py", *rest[2:]]
        if rest[:1] == ["python3"] and rest[1:2] != ["-c"]:
            rest = [rest[1].rpartition("/")[2], *rest[2:]]
        if rest[:2] == ["aws", "--endpoint-url"]:  # an option of the whole program
            rest = ["aws", *rest[3:5], *rest[1:3], *rest[5:]]
        if rest and rest[0] not in functions and rest[0] not in SYSTEM:
            yield rest


def name_of(words):
    """The longest command of the tables that these words begin with."""
    return max((name for name in COMMANDS if words[: len(name.split())] == name.split()), key=len, default="")


def faults_of(words):
    """What of a product's command line is not in its table."""
    name = name_of(words)
    if not name:
        return [f"no such command: {' '.join(words[:4])}"]
    row, faults, arguments = COMMANDS[name], [], []
    rest = words[len(name.split()) :]
    while rest:
        word = rest.pop(0)
        if word == "-" or not word.startswith("-"):
            key, pair, _ = word.partition("=")
            if pair and key not in row.get("pairs", ()):
                faults.append(f"{name}: no key {key}")
            elif not pair:
                arguments.append(word)
        else:
            rest = after_option(name, word, rest, faults)
    fewest, most = row.get("arguments", [0, 0])
    if not fewest <= len(arguments) <= (most or (10**6 if most is None else 0)) and "$@" not in arguments:
        faults.append(f"{name}: {len(arguments)} words for {fewest} to {most}: {arguments}")
    return faults


def after_option(name, word, rest, faults):
    """The words behind an option and its value."""
    option, equals, _ = word.partition("=")
    kind = COMMANDS[name].get("options", {}).get(option)
    if kind is None:
        faults.append(f"{name}: no option {option}")
    elif kind == "values":
        while rest and not rest[0].startswith("-"):
            rest = rest[1:]
    elif kind == "value" and not equals:
        if not rest:
            faults.append(f"{name}: {option} without its value")
        rest = rest[1:]
    return rest


def scripts(files):
    """Shell text of a rendering: scripts, and the blocks of commands in the READMEs."""
    for path, text in files.items():
        if path.endswith(".sh"):
            yield path, text
        elif path.endswith(".md"):
            yield path, "\n".join(re.findall(r"```bash\n(.*?)```", text, flags=re.DOTALL))


def test_every_rendered_command_is_in_a_sourced_table(every_rendering):
    used = set()
    for files in every_rendering.values():
        for path, text in scripts(files):
            for words in commands_of(text):
                assert words[0] in PROGRAMS, f"{path}: unknown program {words[0]}"
                assert faults_of(words) == [], path
                used.add(name_of(words))
    assert used == set(COMMANDS), f"rows that no template uses: {set(COMMANDS) - used}"


@pytest.mark.parametrize(
    "line",
    [
        "weka cluster create a b c d e f --hosts-ip x",
        "weka cluster create a b c d e",
        "weka cluster grow 3",
        'x="$(ceph osd pool create p --bulky)"',
        "ceph osd erasure-code-profile set p k=4 q=2",
        "cat f | ceph orch apply -i - --force",
        "on host weka local setup container --name",
        "frobnicate --now",
    ],
)
def test_the_parser_finds_what_is_not_in_the_table(line):
    """The check itself can fail: options, words, commands, keys, inside pipes, substitutions and wrappers."""
    found = list(commands_of(line))
    assert any(words[0] not in PROGRAMS or faults_of(words) for words in found), found


def test_the_parser_sees_through_wrappers_pipes_and_substitutions():
    line = 'id=$(on "$FIRST" weka cluster container --backends --output id | tr -d x) && ceph osd ls > /dev/null'
    found = {" ".join(words) for words in commands_of(line)}
    assert found == {"weka cluster container --backends --output id", "ceph osd ls"}


@pytest.mark.parametrize("name", TABLES)
def test_every_row_has_a_source_and_a_version(name):
    found = table(name)
    assert set(found) == {"product", "version", "checked", "sources", "commands", "fields"}
    rows = [*found["commands"].values(), *found["fields"].values()]
    assert {row["source"] for row in rows} <= set(found["sources"])
    assert {row["source"] for row in rows} == set(found["sources"]), "a source that no row uses"
    for row in found["commands"].values():
        assert set(row) <= {"source", "arguments", "options", "pairs"}
        assert set(row.get("options", {}).values()) <= {"flag", "value", "values"}


def documents(files, suffix):
    for path, text in files.items():
        if path.endswith(suffix):
            yield from (document for document in yaml.safe_load_all(text) if document)


def assert_known(keys, field):
    assert set(keys) <= FIELDS[field], f"{field}: {set(keys) - FIELDS[field]}"


def test_service_specifications_hold_known_keys_only(every_rendering):
    for files in every_rendering.values():
        for suffix in ("04-hosts.yaml", "05-services.yaml", "06-osds.yaml", "10-rgw.yaml", "11-ingress.yaml"):
            for document in documents(files, suffix):
                kind = document["service_type"]
                assert_known(document, kind)
                assert_known(document.get("placement", {}), "placement")
                if "spec" in document:
                    assert_known(document["spec"], f"{kind}_spec")
                    for devices in ("data_devices", "db_devices"):
                        assert_known(document["spec"].get(devices, {}), "devices")


def test_storage_class_holds_known_parameters_only(every_rendering):
    found = [document for files in every_rendering.values() for document in documents(files, "storageclass.yaml")]
    assert found
    for document in found:
        assert_known(document["parameters"], "storage_class_parameters")
        assert all(isinstance(value, str) for value in document["parameters"].values())


def test_mount_options_are_known(every_rendering):
    for files in every_rendering.values():
        for path, text in files.items():
            if path.endswith(".fstab"):
                (line,) = [line for line in text.splitlines() if not line.startswith("#")]
                fields = line.split()
                assert len(fields) == 6
                assert fields[2] == "wekafs"
                assert_known((option.partition("=")[0] for option in fields[3].split(",")), "mount_options")


def test_secret_of_the_csi_driver_has_its_keys(every_rendering):
    text = every_rendering["plain"]["10-hot-weka/09-csi-secret.sh"]
    assert set(re.findall(r"--from-(?:file|literal)=(\w+)=", text)) == FIELDS["secret_keys"]


def test_alert_expressions_use_known_metrics_only(every_rendering):
    words = {"sum", "by", "cluster", "on", "pool_id", "group_left", "name", "rate", "max", "numFailures"}
    for files in every_rendering.values():
        for document in documents(files, "alerts.yaml"):
            for rule in document["groups"][0]["rules"]:
                bare = re.sub(r'"[^"]*"|\[\w+\]', "", rule["expr"])
                used = set(re.findall(r"[A-Za-z_]\w*", bare)) - words
                assert used
                assert_known(used, "metrics")


def test_lifecycle_rules_hold_known_keys_only(every_rendering):
    for files in every_rendering.values():
        for path, text in files.items():
            if path.endswith("14-lifecycle-archive.json"):
                for rule in json.loads(text)["Rules"]:
                    assert_known(rule, "lifecycle_rule")


def test_configuration_of_the_first_monitor_is_known(every_rendering):
    for files in every_rendering.values():
        for path, text in files.items():
            if path.endswith(".conf"):
                keys = re.findall(r"^(\w+) = ", text, flags=re.MULTILINE)
                assert keys
                assert_known(keys, "config")
