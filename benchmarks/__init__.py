"""What honeyguide costs, measured: each module prints its figures beside what is to be reached."""
