"""Prices, stall, comparison."""
