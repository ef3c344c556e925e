"""The languages of the report: gettext catalogues beside this file; English is what stands in the source."""

from __future__ import annotations

import gettext
from pathlib import Path

from tierplan.errors import InputError

FOLDER = Path(__file__).with_name("locale")
LANGUAGES = ("en", "zh")


class Language:
    """Messages in one language; figures have the same digits in all of them."""

    def __init__(self, name: str, messages: gettext.NullTranslations) -> None:
        self.name = name
        self._messages = messages

    def __call__(self, message: str, **values: object) -> str:
        """The message in this language, with its places filled."""
        text = self._messages.gettext(message)
        return text.format(**values) if values else text


def language(name: str) -> Language:
    """
    The language of this name.

    Raises:   InputError if there is no such language
    """
    if name not in LANGUAGES:
        message = f"--language {name}: no such language; allowed: {', '.join(LANGUAGES)}"
        raise InputError(message)
    if name == "en":
        return Language(name, gettext.NullTranslations())
    return Language(name, gettext.translation("report", FOLDER, languages=[name]))
