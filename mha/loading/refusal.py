"""Why a file, or something in it, cannot be read: a sentence."""

#: Characters of a name out of a file that are kept; longer ones are cut.
MOST_NAME = 120


class Unreadable(ValueError):
    """`sentence` has a {} for each of `names`. Those came out of the file: who shows them must quote them first."""

    def __init__(self, sentence: str, *names: object):
        self.sentence = sentence
        self.names = tuple(str(name)[:MOST_NAME] for name in names)
        super().__init__(sentence.format(*(repr(name) for name in self.names)))
