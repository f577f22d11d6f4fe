"""Other packages on sparse PCA, each in an environment of its own, as a competent user would run
it.
"""
