"""Learning from positive and unlabelled documents (PU): no negative examples have to be collected.

The estimators follow scikit-learn's contract. `X` counts how often each term (column) occurs in each document (row);
`y` is 1 for a document known to be relevant and 0 for one about which nothing is known. See 000 and spec, section 5.
"""
