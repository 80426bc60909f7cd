"""The text of a sheet to print for a class. components/app/lesson.py puts numbers in place of the names in braces."""

TITLE = "How many heads?"
#: For each exercise: the goal, the question and the answer.
EXERCISES = (
    (
        "I can say what a head is: queries, keys and values of its own, and their mix.",
        "Four trained heads, four maps of the sentence. A row is a word that asks, a column, by its number, a word it looks "
        "at. In the row of “{word}”: which head asks who, which whom, which where, which when?",
        "{letters}: each looks most at the word that answers.",
    ),
    (
        "I know when more heads are more parameters, and when the count stays the same.",
        "In the paper and in PyTorch all heads share one width, {d_model}: {heads} have {count} parameters. In Keras each head "
        "keeps a width of its own, {key_dim}: {heads} have {count}. How many have {twice} that share one width, and {twice} in "
        "Keras?",
        "{cut}: the same matrices, cut another way, {cut_sum}. And {added}: every head brings its own slices, {added_sum}.",
    ),
    (
        "I know what of X each head reads.",
        "Each row of X has {d_model} numbers. With {heads}: how many numbers of a row does one head look at?",
        "All {d_model}. X is copied, not split; only the matrices are cut: a head has its {d_model} × {key_dim} slice of W_Q.",
    ),
)
#: The maps of the first exercise: heads (0-based) in the order of their letters.
LETTERS = {2: "A", 0: "B", 3: "C", 1: "D"}
#: Names of the figures beside the answers. Beside the exercises they would give an answer away.
FIGURES = ("heads", "pieces")
