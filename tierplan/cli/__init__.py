"""The `tierplan` command: what people see."""
