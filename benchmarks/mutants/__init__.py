"""Mutation testing: small faults are put into the code, one at a time, and the tests should notice each of them.

The mutants are made by mutmut's operators. The runner is our own: mutmut 3.8 leaves out constants, dataclasses and
decorated functions, and its runner does not work with pytest 9.2; cosmic-ray 8.7 starts Python anew for each mutant and
has one test command for all of them. Here a mutant runs only the tests that execute its line, in a fork of a process
that has imported everything else already, in a copy of the tree, with a time limit.
"""
