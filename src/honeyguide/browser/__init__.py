"""Rendering pages in a browser that has no network: its caller fetches everything for it."""
