"""The nouns of tierplan: frozen, keyword-only, with units; no arithmetic beyond what a noun says of itself."""
