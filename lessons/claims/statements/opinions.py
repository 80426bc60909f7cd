"""Claims in which there is nothing to measure."""

from lessons.claims.claim import Claims, judged, numpy, see

CLAIMS = Claims()


def _opinion(number: int, article: str, line: int, page: str, quote: str, says: str, why: str) -> None:
    CLAIMS.add(number, article, line, quote, says, numpy("nothing"), see(page))(lambda run: judged(why))


_opinion(
    2,
    "key_dim",
    6,
    "heads",
    "inappropriate configurations lead to either underutilization of the available computational resources",
    "Badly chosen sizes waste what the machine could do.",
    "No sizes, no machine and no measure are named, so nothing that is run could contradict it.",
)
_opinion(
    53,
    "key_dim",
    93,
    "heads",
    "Careful experimentation is the best means of tuning these parameters",
    "Trying out is the best way to choose the sizes.",
    "Advice: it predicts no number, and every outcome of a trial would suit it.",
)
_opinion(
    82,
    "none_6_8",
    80,
    "attention",
    "offers a practical approach to understanding attention mechanisms within the Keras framework",
    "A well-known book explains attention in Keras in a practical way.",
    "A judgement of a book: there is nothing in the layer to measure it by.",
)
_opinion(
    104,
    "blog",
    48,
    "attention",
    "those can be compared to feature maps in object detection",
    "Attention maps are like the feature maps of object detection.",
    "An analogy: it says what heads remind one of, not what they compute.",
)
