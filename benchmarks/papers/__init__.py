"""The tables of the papers, on the papers' own data: one module a table."""
