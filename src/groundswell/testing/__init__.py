"""What plugin authors and our own tests use: a scripted host, fakes, conformance checks."""
