"""The loop: budgets and stop reasons, workers, events, resume."""
