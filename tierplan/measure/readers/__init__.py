"""Readers of the tools' own result files: each says whether a text is of its tool, and what that measured."""
