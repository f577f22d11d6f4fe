"""Wide data: planted sparse factors, sparse counts and real tables, as wide.toml says; whole calls
in processes of their own.
"""
