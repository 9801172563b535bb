"""What the benchmarks share. Each module says what is in it; the scripts are one folder up."""
