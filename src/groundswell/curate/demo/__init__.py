"""The example posts of the demo: three exports written for it, and the pictures that they name, drawn when wanted."""
