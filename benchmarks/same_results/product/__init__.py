"""The only place of this check that knows tiebreak: questions go in, plain records come out.

After a rename only the files of this folder change: imports, arguments, and the right-hand sides of `taken`. The names
on the left-hand sides, and those of `..records`, are the check's own and stay.
"""
