"""Erasure codes, replicas, durability: arithmetic that several products share."""
