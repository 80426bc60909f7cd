"""Questions about masks: padding, causal, nothing left to see, one more key."""

from lessons.claims.answers.words import FREE, TINY, few, layer
from lessons.claims.claim import keras, numpy, see, shown
from lessons.claims.question import Questions, answer

QUESTIONS = Questions()


@QUESTIONS.add(
    "q17",
    "Masks",
    "Keras wants a padding mask of (B, T, S), a tutorial builds (B, 1, 1, S). Which one, and where do the ones go?",
    "https://github.com/tensorflow/tensorflow/issues/49237",
    keras("padding"),
    see("keras_layer", part="masks", mask_case="shapes", **FREE, **layer(8, 4, 4, query_len=3, key_len=5)),
)
def padding(run):
    equal = [name for name, far in run["apart"].items() if far == 0]
    return answer(
        f"Ones on real keys, for every query: padding blanks whole columns. {', '.join(f'({name})' for name in equal)} all give "
        "the same. "
        "(B,S) is refused, unless B = T: then it is read as (T,S) and silently wrong.",
        {
            "3 real keys of 5: columns that are 0, from 0": tuple(run["zero_columns"]),
            "rows sum to 1 within": run["row_sums"],
            "(B,S)": "an error" if run["two_axes"] else "runs",
            "(B,S) where B = T, off by": run["misread"],
            "embedding with mask_zero, 3 real and 2 padded tokens: row sums": few(run["embedding_rows"]),
        },
    )


@QUESTIONS.add(
    "q20",
    "Masks",
    "Some versions are said to drop the causal mask when scores are asked for. How do I check mine?",
    "https://github.com/keras-team/keras/issues/23038",
    keras("causal", length=6),
    see("attention", **FREE, **layer(8, 1, 4), mask="causal"),
)
def causal(run):
    moved = ", ".join(map(str, run["moved"]))
    return answer(
        f"Look at the scores: everything above the diagonal must be exactly 0, for 6 tokens {run['cells_above']} cells. "
        f"Here {run['zeros']} are, and a change of the last token, 5 from 0, moves output {moved} only.",
        {
            "zeros above the diagonal": run["zeros"],
            "first row": f"[{few(run['first_row'])}]",
            "output with and without scores, difference": run["asked"],
            "and with dropout, when not training": run["dropout"],
            "outputs that the last token moves": tuple(run["moved"]),
        },
    )


@QUESTIONS.add(
    "q22",
    "Masks",
    "When every key of a query is masked my output is NaN. What would be right?",
    "https://github.com/pytorch/pytorch/issues/41508",
    (keras("asked_for_scores"), numpy("nothing_to_see", length=4)),
    see("keras_layer", part="masks", mask_case="empty_row", **FREE, **layer(8, 2, 4, query_len=4)),
)
def all_masked(run, definition):
    return answer(
        "Nothing is: 0 / 0 has no value, and implementations differ. Keras never gives NaN, but two answers: weights of 0 when "
        "the scores are asked for, "
        "so that the output is the bias, and the plain mean of the values when they are not. The same call differs by "
        f"{shown(run['masked_row'])}.",
        {
            "softmax by its definition": f"[{', '.join(map(str, definition['row']))}]",
            "Keras's outputs are finite": run["finite"],
            "scores asked for: row sum": run["row_sum"],
            "its output, apart from b_O": run["asked_to_bias"],
            "not asked for: apart from W_O of the mean value": run["unasked_to_mean"],
            "an ordinary call, asked for or not, difference": run["ordinary"],
        },
    )


@QUESTIONS.add(
    "q50",
    "Masks",
    "What do add_zero_attn and add_bias_kv add in PyTorch, and does add_zero_attn break a causal mask?",
    "https://github.com/pytorch/pytorch/issues/27461",
    numpy("zero_key", **TINY, query_len=4),
    see("attention", **TINY, query_len=4, key_len=4, mask="causal"),
)
def extra_key(run):
    first, second = run["rows"]
    kept = not any(first[:-1]) and not any(second[1:-1])
    return answer(
        f"One more key that every query may use. {'Causality holds' if kept else 'Causality is broken'}: under a strictly causal "
        "mask the first query can only "
        "take the zero, and no query sees a later key. add_bias_kv learns its key and value: 2E parameters. Keras's layer has "
        "neither.",
        {
            "maps with one of them, 4 tokens": tuple(run["zero"]),
            "with both": tuple(run["both"]),
            "first row": f"[{few(first)}]",
            "second row": f"[{few(second)}]",
            "parameters": run["plain"],
            "with add_zero_attn": run["with_zero"],
            "with add_bias_kv": run["with_bias"],
        },
    )
