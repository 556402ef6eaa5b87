"""The dashboard, as a browser sees it."""
