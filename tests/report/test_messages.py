"""Every message of the report stands in every catalogue, translated, with the same places; and is compiled."""

from __future__ import annotations

import re

import pytest

import messages
from tierplan.errors import InputError
from tierplan.report.language import LANGUAGES, language

OTHERS = LANGUAGES[1:]


@pytest.mark.parametrize("name", OTHERS)
def test_the_catalogue_is_that_of_the_source(name):
    """Else run: python scripts/messages.py."""
    path = messages.catalogue_path(name)
    assert path.read_bytes() == messages.text_of(messages.updated(name))
    assert path.with_suffix(".mo").read_bytes() == messages.compiled(messages.updated(name))


@pytest.mark.parametrize("name", OTHERS)
def test_every_message_is_translated_with_the_same_places(name):
    found = [message for message in messages.known(name) if message.id]
    assert len(found) > 150
    for message in found:
        assert message.string, message.id
        assert sorted(re.findall(r"\{\w+\}", message.id)) == sorted(re.findall(r"\{\w+\}", message.string)), message.id
        assert sorted(re.findall(r"\d+", message.id)) == sorted(re.findall(r"\d+", message.string)), message.id


def test_no_message_is_passed_over():
    """A message inside an f-string is one that the extraction cannot see."""
    for path in sorted(messages.SOURCE.glob("*.py")):
        text = path.read_text()
        assert not re.search(r"f\"[^\"\n]*\{say\('", text), path.name
        seen = {message for message, _ in messages.messages()}
        for found in re.findall(r"\b(?:say|N_)\(\s*\"((?:[^\"\\]|\\.)*)\"\s*[,)]", text):
            assert found in seen, found


def test_an_unknown_language_is_told():
    with pytest.raises(InputError, match="no such language; allowed: en, zh"):
        language("fr")
