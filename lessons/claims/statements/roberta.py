"""Claims about the blog's RoBERTa: its parameters by its table of arrays."""

from lessons.claims.claim import Claims, judged, numpy, same, see

CLAIMS = Claims()
#: The vocabulary that RobertaConfig assumes: up to transformers 4.29.2, and since 4.30.0.
EARLIER, SINCE = 30522, 50265
BUILT = "config_3 = RobertaConfig( num_attention_heads=4)"


@CLAIMS.add(
    87,
    "blog",
    18,
    "the number of parameters in the model stayed the same",
    "RoBERTa has the same parameters with 4 heads as with 12.",
    numpy("roberta_counts", models=[{"heads": 4}, {"heads": 12}]),
    see("heads", d_model=768, num_heads=12),
)
def roberta_stays(run):
    four, twelve = run["counts"]
    shapes = sum(a == b for a, b in zip(run["tables"][0].values(), run["tables"][1].values(), strict=True))
    return judged(
        f"More than that: {shapes} of {len(run['tables'][0])} kinds of arrays keep their shapes, because no shape mentions the "
        "head count.",
        same("says", "parameters with 4 heads, of those with 12", twelve, four),
        same("says", "tables of shapes the same", True, run["tables"][0] == run["tables"][1]),
    )


@CLAIMS.add(
    84,
    "blog",
    7,
    BUILT,
    "The code compares a model of 3 heads with one of 12.",
    numpy("roberta_counts", models=[{"heads": 3}, {"heads": 4}, {"heads": 12}]),
    see("heads", d_model=768, num_heads=4),
)
def three_or_four(run):
    built = int(BUILT.partition("heads=")[2].rstrip(")"))
    three, four, twelve = run["counts"]
    return judged(
        f"The model called “3 heads” is built with {built}; 3 would give the same {three or 0:,}, so the point stands.",
        same("says", "parameters with 3 heads, of those with 12", twelve, three),
        same("says", "parameters with 4 heads, of those with 12", twelve, four),
        same("suggests", "heads of the model that is built", 3, built),
    )


def _printed(run: dict, heads: str):
    earlier, since = run["counts"]
    return judged(
        f"Printed by transformers up to 4.29.2; since 4.30.0 a RobertaConfig assumes {SINCE:,} words instead of {EARLIER:,}, and "
        f"it is {since:,}.",
        same("case", f"vocabulary of {EARLIER:,} ({heads})", 109514298, earlier),
        same("case", f"vocabulary of {SINCE:,} ({heads})", 109514298, since),
    )


@CLAIMS.add(
    85,
    "blog",
    14,
    "# Number of parameters with 3 heads:109514298",
    "The first model of the blog has 109,514,298 parameters.",
    numpy("roberta_counts", models=[{"heads": 4, "vocab_size": EARLIER}, {"heads": 4, "vocab_size": SINCE}]),
    see("heads", d_model=768, num_heads=4),
)
def first_count(run):
    return _printed(run, "4 heads")


@CLAIMS.add(
    86,
    "blog",
    15,
    "# Number of parameters with 12 heads:109514298",
    "The second model of the blog, with 12 heads, has 109,514,298 parameters.",
    numpy("roberta_counts", models=[{"heads": 12, "vocab_size": EARLIER}, {"heads": 12, "vocab_size": SINCE}]),
    see("heads", d_model=768, num_heads=12),
)
def second_count(run):
    return _printed(run, "12 heads")
