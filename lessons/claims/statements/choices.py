"""Claims about what is usual: the table of published models settles them."""

from lessons.claims.claim import Claims, judged, numpy, see, that

CLAIMS = Claims()


@CLAIMS.add(
    36,
    "key_dim",
    42,
    "very common configuration for intermediate layers in larger transformer models",
    "512 wide with 8 heads of 64 is a very common choice in large models.",
    numpy("published_choices"),
    see("published_models"),
)
def usual_layer(run):
    heads, whole, total = run["d_k_64"], run["base_layer"], run["models"]
    return judged(
        f"Of {total} published models {heads} have heads of 64, but only {len(whole)} are 512 wide with 8 of them: "
        f"{', '.join(whole)}.",
        that("says", "models with heads of 64", "many", f"{heads} of {total}", heads > total / 4),
        that("suggests", "models 512 wide with 8 heads of 64", "many", f"{len(whole)} of {total}", len(whole) > total / 4),
        that("suggests", "middle width of all models", "512 or less", run["middle_width"], run["middle_width"] <= 512),
    )


@CLAIMS.add(
    51,
    "key_dim",
    93,
    "it is common practice to use smaller `key_dim` for smaller models",
    "Smaller models have smaller heads.",
    numpy("published_choices"),
    see("published_models"),
)
def smaller_heads(run):
    narrow, wide = run["middle_d_k"]
    smallest, largest = run["gemma_3"]
    return judged(
        f"As a tendency: the middle d_k is {narrow:g} in the narrower half of the models and {wide:g} in the wider. But GPT-2 "
        "keeps "
        f"{run['gpt_2'][0]} at every size, and Gemma 3 goes from {smallest} down to {largest}.",
        that("says", "middle d_k of the narrower half", f"less than {wide:g}", narrow, narrow < wide),
        that("suggests", "different d_k among GPT-2's sizes", "more than 1", len(set(run["gpt_2"])), len(set(run["gpt_2"])) > 1),
        that("suggests", "d_k of the largest Gemma 3", f"more than {smallest}", largest, largest > smallest),
    )
