"""What a loss leaves: degraded states, rebuild, durability, availability; pure arithmetic over nouns."""
