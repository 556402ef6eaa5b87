"""Reports as self-contained HTML files: markup, charts, number formatting and the page template."""
