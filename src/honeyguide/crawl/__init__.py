"""The crawl loop: budgets and stop reasons, worker processes, events, resuming."""
