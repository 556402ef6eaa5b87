"""What turns a page into priorities: readings, recipes, steering."""
