"""One module for each product's own output: `fits` knows it by its look, `read` says what it tells."""
