"""`python -m groundswell` is the command `groundswell`."""

from groundswell.cli import main

main()
