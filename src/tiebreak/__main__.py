"""`python -m tiebreak`: the command, where its script is not on the path."""

from tiebreak.cli.main import run

if __name__ == "__main__":  # processes that share the work import this file under another name
    run()
