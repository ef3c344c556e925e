"""
The one-page statement of requirement and selection: Markdown or one HTML file, in English or Chinese.

    statement   plan + findings + language  ->  Statement: what stands on the page, in that language
    markdown    Statement  ->  Markdown
    html        Statement  ->  one self-contained HTML file with its pictures
"""

from tierplan.report.language import LANGUAGES, language
from tierplan.report.page import html, markdown
from tierplan.report.statement import Statement, statement

__all__ = ["LANGUAGES", "Statement", "html", "language", "markdown", "statement"]
