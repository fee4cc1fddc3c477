"""Whether games limit what being shown on the left is worth, in Davidson's model with sides.

They do not where strengths, the advantage of the left and the share of ties may change together, the advantage among
them, so that no game becomes less likely, however far they go: as where the left won every game, or where one of two
systems always was there. An estimate then is the prior's, and so is that of every difference which it may stand for.

A direction of (beta, gamma, log nu) is such a one where the winner's side of d rises at least as far as 2 log nu and
not below 0, for every win, and d moves no farther than 2 log nu, for every tie. These directions are a cone, so that
one with a part in gamma exists where the largest or smallest gamma of the cone, cut off at 1 and -1, is not 0.

Source: Albert & Anderson (1984), "On the existence of maximum likelihood estimates in logistic regression models".
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from tiebreak.errors import NotConvergedError, UsageError
from tiebreak.kernels.games import Games


def side_is_limited(games: Games) -> bool:
    """Whether the games set limits to the advantage of the left, in either direction.

    Raises:
        UsageError: games without sides.
        NotConvergedError: the linear program was not solved.
    """
    if games.side is None:
        raise UsageError("these games have no sides")
    codes = [games.outcome.astype(np.intp), games.side.astype(np.intp)]
    first, second, outcome, side = np.unique(np.stack([games.first, games.second, *codes], axis=1), axis=0).T
    size, row = games.systems + 2, np.arange(first.size)
    ahead = np.zeros((first.size, size))  # of the first system, by (beta, gamma, log nu)
    ahead[row, first], ahead[row, second], ahead[row, -2] = 1, -1, side
    decided, ties = outcome != 0, 2 * np.eye(size)[-1]
    won, tied = ahead[decided] * outcome[decided, None], ahead[~decided]
    falls = np.concatenate([-won, ties - won, tied - ties, -tied - ties])
    bounds = [*[(None, None)] * games.systems, (-1, 1), (None, None)]
    for sign in (1, -1):
        found = linprog(sign * np.eye(size)[-2], A_ub=falls, b_ub=np.zeros(len(falls)), bounds=bounds)
        if not found.success:
            raise NotConvergedError(f"whether games limit the advantage of the left was not found: {found.message}")
        if found.fun < -0.5:
            return False
    return True
