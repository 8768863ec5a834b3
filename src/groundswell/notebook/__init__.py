"""What the package offers to a program or a notebook: the abilities of the command line on values instead of files.

Every number is computed where the command line computes it. Nothing here is imported before its name is used; the names
that `import groundswell` gives are listed there.
"""
