"""The paper's experiments: specs in TOML, runs in JSON lines, and a report made of them alone."""
