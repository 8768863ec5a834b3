"""The documentation's own machinery: pages whose commands are run, and the reference drawn from the code."""
