"""tierplan: from what the GPUs do to a storage plan that can be reviewed, refused and deployed."""

__version__ = "0.1.0"
