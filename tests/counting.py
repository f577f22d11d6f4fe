"""Terms that count how often they are evaluated, independently of the library."""

import copy

from orthoprox.problems.problem import Problem


def counting(term, work):
    """The same term, of a subclass of its class, that adds each of its evaluations to ``work``."""
    kind = type(term)

    class Counting(kind):
        def value(self, X):
            work.values += hasattr(kind, "grad")  # of l alone
            return super().value(X)

        if hasattr(kind, "grad"):

            def grad(self, X):
                work.gradients += 1
                return super().grad(X)

            def value_and_grad(self, X):
                work.gradients += 1
                work.values += 1
                return super().value_and_grad(X)

        else:

            def prox(self, X, t):
                work.proxes += 1
                return super().prox(X, t)

        if hasattr(kind, "weighted"):

            def weighted(self, mu):
                return counting(super().weighted(mu), work)

    twin = copy.copy(term)
    twin.__class__ = Counting
    return twin


def counting_problem(problem, work):
    """The same problem, made of terms that count."""
    return Problem(counting(problem.smooth, work), counting(problem.nonsmooth, work), problem.shape)
