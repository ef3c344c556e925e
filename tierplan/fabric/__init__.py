"""The fabric as a flow network: topology, max-flow, sizing; pure arithmetic over nouns."""
