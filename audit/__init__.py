"""What we depend on: known vulnerabilities, licences, and pins. `python -m audit`, part of `make lint`."""
