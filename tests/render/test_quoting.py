"""A value stays in the field that its template gave it: each filter is read back by a parser that is not ours."""

import configparser
import json
import re
import subprocess

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan.errors import RenderError
from tierplan.render import quoting

HOSTILE = (
    "; rm -rf /",
    "a\nrm -rf /",
    "\"'`$(touch /tmp/x)`",
    "{{ 7 * 7 }}",
    "x: y # z",
    "--> <script>",
    "\\ %s ${HOME} \\",
    "",
    " ",
    "-n",
    "~",
    "*",
    "null",
    "0x10",
    "2026-11-29",
    "\ttab",
    "é中",
    "\u2028line",
)
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=30)


def through_bash(words):
    """What bash makes of quoted words, one by one."""
    script = f"printf '%s\\0' {quoting.sh(words)}"
    found = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return found.stdout.decode().split("\0")[:-1]


def test_sh_keeps_every_hostile_word_whole():
    assert through_bash(HOSTILE) == list(HOSTILE)


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=5))
def test_sh_keeps_any_text_whole(words):
    assert through_bash(words) == words


@given(st.recursive(TEXT | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner, max_size=3)))
def test_yaml_value_reads_back_and_fills_one_line(value):
    text = quoting.yaml_value(value)
    assert yaml.safe_load(f"key: {text}\nnext: 1\n") == {"key": value, "next": 1}
    assert "\n" not in text


@given(st.dictionaries(TEXT, TEXT, max_size=3))
def test_yaml_value_takes_maps(value):
    assert yaml.safe_load(quoting.yaml_value(value)) == value


def test_yaml_value_never_turns_text_into_something_else():
    for text in ("yes", "1e3", "null", "2026-11-29", "0o17", "~", "<<"):
        assert yaml.safe_load(quoting.yaml_value(text)) == text


@given(TEXT)
def test_json_value_reads_back(text):
    assert json.loads(quoting.json_value(text)) == text


@given(TEXT)
def test_ini_value_stays_in_its_key(text):
    """A value either stands in its key or is refused; it never makes a section or another key."""
    try:
        value = quoting.ini(text)
    except RenderError:
        assert re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]", text)
        return
    parser = configparser.RawConfigParser()
    parser.read_string(f"[global]\nkey = {value}\nnext = 1\n")
    assert parser.sections() == ["global"]
    assert dict(parser["global"])["next"] == "1"
    assert parser["global"]["key"] in (text, f'"{text}"', str(value))


@given(TEXT)
def test_fstab_field_is_one_field(text):
    field = quoting.fstab(text)
    assert not re.search(r"[ \t\n#]", field)
    assert re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), field) == text


@given(st.text(max_size=30))
def test_comment_and_markdown_stay_on_their_line(text):
    for quote in (quoting.comment, quoting.markdown):
        assert len(quote(text).splitlines()) <= 1


def test_markdown_text_makes_no_markup():
    assert quoting.markdown("a|b <i> `c` --> [d](e)") == "a\\|b \\<i\\> \\`c\\` --\\> \\[d\\](e)"


def test_alert_text_is_no_template_of_prometheus():
    """Go reads {{ as an action; a raw string in an action is what prints it."""
    text = yaml.safe_load(quoting.alert("at {{ $value }}"))
    assert text == "at {{ `{{` }} $value }}"


@pytest.mark.parametrize("value", ["plain", None, True, 1.5, ["a"]])
def test_only_quoted_refuses_what_no_filter_made(value):
    with pytest.raises(RenderError, match="without a quoting filter"):
        quoting.only_quoted(value)


def test_only_quoted_lets_filters_and_whole_numbers_pass():
    assert quoting.only_quoted(7) == 7
    assert quoting.only_quoted(quoting.sh("x y")) == "'x y'"


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
@pytest.mark.parametrize("quote", [quoting.sh, quoting.yaml_value, quoting.json_value, quoting.ini, quoting.fstab])
def test_what_no_file_can_hold_is_refused(quote, text):
    with pytest.raises(RenderError):
        quote(text)


def test_numbers_print_without_float_noise():
    assert (quoting.sh(0.85), quoting.sh(0.1 + 0.2), quoting.sh(12)) == ("0.85", "0.3", "12")


def test_truth_values_are_no_shell_words():
    with pytest.raises(RenderError, match="neither text nor a number"):
        quoting.sh(True)
