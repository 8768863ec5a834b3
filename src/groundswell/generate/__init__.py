"""One output for every sample and endpoint, with what was asked and what came recorded apart."""
