"""Rendering pages in a browser whose only way to the network is what its caller fetches for it."""
