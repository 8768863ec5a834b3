"""Material made by code, on which the rules of the local reader are measured: none of it was taken from anywhere."""
