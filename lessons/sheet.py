"""What is printed for a class: goals and three guesses, and the answers. Numbers stand in braces
(components/app/lesson.py)."""

TITLE = "How many heads?"
GOALS = (
    "I can say what a head is: queries, keys and values of its own, and their mix.",
    "I know when more heads are more parameters, and when the count stands still.",
    "I know what of X each head reads.",
)
#: A question, and its answer.
GUESSES = (
    (
        "In the paper and in PyTorch all heads share one width, {d_model}. With {heads} there are {paper} parameters. "
        "With {others}: how many?",
        "{paper_others}. The same matrices, cut another way: {paper_sum}.",
    ),
    (
        "In Keras each head keeps a width of its own, {key_dim}. With {keras_heads} there are {keras} parameters. "
        "With {keras_others}: how many?",
        "{keras_then}. Every head brings its own slices: {keras_sum}.",
    ),
    (
        "Each row of X has {d_model} numbers. With {keras_heads}: how many numbers of a row does one head look at?",
        "All {d_model}. X is copied, not split; only the matrices are cut: a head has its {d_model} × {key_dim} slice of W_Q.",
    ),
)
#: What stands at the answers: names of figures. Beside the guesses each would say one.
FIGURES = ("heads", "pieces")
