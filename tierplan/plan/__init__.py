"""The walk itself: resolve, evaluate, judge."""
