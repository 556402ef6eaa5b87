"""``python -m honeyguide``."""

from honeyguide.cli.main import main

main()
