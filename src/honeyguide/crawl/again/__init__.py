"""Visiting pages again that may have changed: how often they do, which one is next, what follows from a visit."""
