"""What the workloads ask: one load a file, each a small pure formula; `loads` and `combine` assemble them."""
