"""The text of the walk, from what a head is to how many heads to take (drawn by components/presenter/walk.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from headcount.settings import Whole, text, word
from headcount.trained.sentence import DEFAULT_TEXT

#: The reader's guesses, as the address spells them, with the factor of the parameter count if the heads are doubled.
GUESSES: Mapping[str, float] = {"half": 0.5, "same": 1, "double": 2, "fourfold": 4}
#: The word whose row is followed, 0-based: whom it means is asked at the first step.
FOLLOWED = DEFAULT_TEXT.split().index("she")
#: Head counts under which a published model is counted.
PUBLISHED, HEADS_TRIED = "BERT-base", (1, 4, 12, 48)


@dataclass(frozen=True, slots=True)
class WalkStep:
    """A step of the walk. In its texts, the names of numbers are in braces.
    - `figure`: a figure of the registry, or a picture of the walk's own.
    - `only`: the beginning of the ids of the panels that the step shows.
    - `asks`: the address's code for the guess that the step asks for; `answers`: the code of the guess that the step answers.
    - `terms`: the words that the step explains. `note`: a remark for the presenter.
    - `rest`: the sentence beside the picture after its film.
    """

    headline: str
    says: str
    figure: str
    settings: Mapping[str, object] = field(default_factory=dict)
    only: str = ""
    asks: str = ""
    answers: str = ""
    terms: tuple[str, ...] = ()
    rest: str = ""
    note: str = ""


#: Four heads of size 4 in Keras's convention.
KERAS: Mapping[str, object] = {"split": "free", "key_dim": 4, "value_dim": 4}
STEPS = (
    WalkStep(
        "A word must look around.",
        "Who is “she”? Who {verb} whom, where and when? To answer, a word must look at the other words and take something "
        "from them.",
        "sentence",
        note="Ask before anything is explained: how do you know whom “she” means?",
    ),
    WalkStep(
        "A token is a row of numbers.",
        "Each word is a token and becomes a row of {d_model} numbers. A sentence of {query_len} tokens becomes a table, the "
        "input matrix X. The two rows of “in” differ: each row holds its word’s place, too. A parameter is a number that "
        "training sets.",
        "rows",
        {"num_heads": 1},
        terms=("token", "input", "X", "matrix", "parameter", "training"),
        note="Point at the two rows of “in”: the same word at two places.",
    ),
    WalkStep(
        "Query, key and value.",
        "Three matrices of parameters turn each row of X into three rows. $W_Q$ gives a query (what do I look for?), $W_K$ a key "
        "(what can I be found by?), $W_V$ a value (what do I give?). Each matrix has a bias b: a row added to each query, "
        "key or value.",
        "tables",
        {"num_heads": 1},
        terms=("W_Q", "W_K", "W_V", "query", "key", "value", "Q", "K", "V", "bias", "b"),
        rest="Every number of Q, K and V is a row of X times a column of a matrix, and a bias is added.",
        note="Each row of X has three uses. Let somebody put the query of “she” into words.",
    ),
    WalkStep(
        "Softmax weights mix the values.",
        "The query of “{word}” times each key gives {key_len} scores. Each score is divided by √{key_dim}, "
        "because a key has {key_dim} numbers. Softmax turns the scores into attention weights, which sum to 1: “{meant}” gets "
        "{meant_share}. “{word}” gets the values, mixed by these weights: most comes from “{meant}”.",
        "row",
        {"num_heads": 1},
        terms=("score", "softmax", "attention", "weight", "mix"),
        rest="Every other word does the same with its own query.",
        note="Let it play once. A score is one number for two words. Softmax keeps the order of the scores.",
    ),
    WalkStep(
        "One head is one way of looking.",
        "A head has queries, keys and values, and mixes the values. In a test, “calls” and “thanks” must say who, whom, "
        "where and when. At “calls”, one trained head says “{one_who}” for who and “{one_whom}” for whom.",
        "attention",
        {"num_heads": 1},
        terms=("head",),
        note="Do not hurry: this mistake of one head is the reason for several heads.",
    ),
    WalkStep(
        "So take several. Guess first!",
        "A layer has a fourth matrix, $W_O$, for the mixed values. With one head, its four matrices of {d_model} × {d_model} "
        "and four biases of {d_model} have {count} parameters. **How many parameters do twice as many heads have?**",
        "heads",
        only="paper 1",
        asks="guess",
        terms=("layer", "W_O"),
        note="Wait for hands before you press a key. The guess “twice” has a reason: two whole layers would have twice as many.",
    ),
    WalkStep(
        "The count stays the same.",
        "{said}The same four matrices are only cut. {heads} heads all have {counts} parameters. The heads get thinner; "
        "nothing is added.",
        "heads",
        only="paper ",
        answers="guess",
        note="Here most people are surprised. Ask what has become smaller: the width of each head.",
    ),
    WalkStep(
        "X is copied, not split.",
        "Only the matrices are cut. Every head reads all of X, {d_model} numbers in each row, through its own "
        "{d_model} × {key_dim} slice of $W_Q$. This X has other numbers, trained with {num_heads} heads.",
        "copied",
        terms=("slice",),
        note="The usual mistake is to cut X. Each head reads every number of every row.",
    ),
    WalkStep(
        "Four heads, four maps.",
        "Each head has a map of its own: a row for each query, a column for each key. Every row sums to 1. Only "
        "{asking} answer questions. From “{verb}”, one head looks for who, one for whom, one for where and one for when. From "
        "“she”, the first head looks at “{meant}”.",
        "attention",
        terms=("map",),
        note="Cover the names: can the class tell from a map alone which question its head answers?",
    ),
    WalkStep(
        "Side by side, then mixed by $W_O$.",
        "The results of {num_heads} heads, {value_dim} columns each, are put side by side: {joined} columns again. $W_O$ mixes "
        "these columns into the output: each head adds a part to every number.",
        "sum",
        terms=("output",),
        rest="Every number of the output is the sum of one part from each head and a bias.",
        note="Without W_O, no column would mix two heads.",
    ),
    WalkStep(
        "Keras counts differently. Guess again!",
        "In the library Keras you set key_dim, the width of each head. {num_heads} heads, each {key_dim} wide, have {count} "
        "parameters. **How many parameters do twice as many heads have, each still {key_dim} wide?**",
        "heads",
        KERAS,
        only="free 4",
        asks="guess_keras",
        terms=("Keras", "key_dim"),
        note="Ask who has used Keras. The question is almost the same, but the answer is another one.",
    ),
    WalkStep(
        "In Keras, the count grows.",
        "{said}In Keras every head brings its own slices, {key_dim} wide. {each_count}. In the paper "
        "and in PyTorch all heads share one width.",
        "heads",
        KERAS,
        answers="guess_keras",
        terms=("paper", "PyTorch"),
        note="Both ways are right. Always say which of the two you mean.",
    ),
    WalkStep(
        "The same test with four heads.",
        "Asked whom in {tests} sentences, one head has {one_right} right answers. One mix does not tell who from whom. Four "
        "heads have as many parameters, {same_count}, and {four_right} right answers.",
        "both",
        note="Both layers have the same number of parameters and the same training. One head has only one row of attention "
        "weights for each word.",
    ),
    WalkStep(
        "And in a model as large as BERT?",
        "In BERT all heads share one width, as in the paper. With {tried} heads, it always has {published_count} parameters.",
        "published",
        {"model": PUBLISHED},
        terms=("model", "BERT"),
        note="This is the count of the whole model, not of its heads alone.",
    ),
    WalkStep(
        "So how many heads?",
        "In this test, {enough} 16 heads are too thin: each is 1 wide. The paper tried 1 to 32 heads: {best} are the best by "
        "BLEU, a score for translations. 128 heads that share one width take {slower} times as long as 8. In most published "
        "models here, a head is {usual} wide.",
        "right_answers",
        {"slider": "num_heads"},
        terms=("translation", "BLEU", "published"),
        note="No law says how many heads are best. Heads 64 or 128 wide suit the machines, too.",
    ),
    WalkStep(
        "Now it is your turn.",
        "If heads share one width, the count stays the same. If each head brings its own, the count grows. Either way, more "
        "heads are more ways of looking.",
        "farewell",
        note="Take one minute for two questions of the quiz. Then look at the answers together.",
    ),
)
#: Addresses of your own sequence, one a line (components/presenter/slide.py).
SEQUENCE = text("sequence", 6000, "Sequence")
#: In the address: what was guessed at each step that asks; and with it whether the walk is on, and at which step.
ASKED = tuple(word(step.asks, ("none", *GUESSES)) for step in STEPS if step.asks)
PRESENT = word(
    "present", ("0", "1", "page"), "Presentation", "0: no presentation; 1: the walk; page: the picture of this page alone."
)
SETTINGS = (PRESENT, SEQUENCE, Whole(code="step", default=1, least=1, most=len(STEPS)), *ASKED)
#: A room in which phones vote, and what makes the link its lecturer's (components/app/votes.py).
ROOM = (text("room", 6), text("lead", 16))
