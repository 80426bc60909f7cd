"""Why a file, or something in it, cannot be read: a sentence."""

#: Characters of a name out of a file that are kept; longer ones are cut.
MOST_NAME = 120


class Unreadable(ValueError):
    """`sentence` has a {} for each of `names`. Those came out of the file: who shows them must quote them first."""

    def __init__(self, sentence: str, *names: object):
        self.sentence = sentence
        self.names = tuple(str(name)[:MOST_NAME] for name in names)
        super().__init__(sentence.format(*(repr(name) for name in self.names)))


def each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """For `object_pairs_hook` of json: of a key that stands twice in its object Python would take the last, others the first."""
    made: dict[str, object] = {}
    for key, value in pairs:
        if key in made:
            raise Unreadable("{} stands twice in one JSON object of the file; each key may stand once.", key)
        made[key] = value
    return made
