"""The bank: answers to exercises, right ones written differently and wrong ones as students write them.

    @right("ops.mul")
    def einsum(a, b): ...

    @wrong("ops.mul", "the sign is flipped")        # what the message must say; the points it may keep at most
    def sign(a, b): ...

One module a notebook. `tests/test_check.py` puts every answer through the judge.
"""

RIGHT, WRONG = [], []


def right(name):
    def note(function):
        RIGHT.append((name, function))
        return function
    return note


def wrong(name, says="", keeps=None):
    """`says`: part of the message; `keeps`: the points that the answer deserves, where it is worth fixing."""
    def note(function):
        WRONG.append((name, function, says, keeps))
        return function
    return note
