"""Revisiting pages that may have changed: how often they change, which one is next, the outcomes of revisits."""
