"""Claims about the width of a layer and of its heads: what they must be, and what models choose."""

from lessons.claims.records import BLOG, KEY_DIM, Questions, check, equal, free, judged, layer, numpy, see

QUESTIONS = Questions("Conventions")


@QUESTIONS.add("c96", "d_model must be a multiple of the number of heads.",
    BLOG.line(40, "the dimension of the embeddings have to be a multiple of the number of heads"), see("heads", **free(8, 3, 5)),
    numpy("conventions", d_model=8, heads=[3], key_dim=5),
)  # fmt: skip
def multiple(run):
    paper, keras = (f"{run[how][0]:,} parameters" if run[how][0] else "no such layer" for how in ("paper", "keras"))
    return judged(
        f"PyTorch and Hugging Face refuse 3 heads for 8 features; Keras builds 3 heads of 5, with {keras}.",
        check("case", "d_k = d_model / h (PyTorch, Hugging Face)", "no such layer", paper, not any(run["paper"])),
        check("case", "3 heads with key_dim 5 (Keras)", "no such layer", keras, not any(run["keras"])),
    )


@QUESTIONS.add(
    "c94", "d_k and d_v are d_model / h.", BLOG.line(38, "d_k = d_v = d_model/h"), see("heads", **free(512, 6, 64)),
    numpy("layers", sizes=[layer(512, 8, 64), layer(512, 6, 64), layer(3072, 16, 256)]),
)  # fmt: skip
def paper_choice(run):
    base, t5, gemma = run["layers"]
    return judged(
        f"That is the paper's choice, not a law: Flan-T5-small has 6 heads of 64 at width 512 ({t5['concat']} in all), Gemma-7B "
        f"16 heads of 256 at width 3,072 ({gemma['concat']:,} in all).",
        equal("says", "h · d_k of the paper's base model", 512, base["concat"]),
        equal("suggests", "6 heads of 64 at width 512, in all", 512, t5["concat"]),
        equal("suggests", "16 heads of 256 at width 3072, in all", 3072, gemma["concat"]),
    )


@QUESTIONS.add("c36", "A width of 512 with 8 heads of 64 is a very common choice in large models.",
    KEY_DIM.line(42, "very common configuration for intermediate layers in larger transformer models"), see("models"),
    numpy("published_choices"),
)  # fmt: skip
def usual_layer(run):
    heads, whole, total = run["d_k_64"], run["base_layer"], run["models"]
    return judged(
        f"Of {total} published models, {heads} have heads of 64, but only {len(whole)} are 512 wide with 8 of them: "
        f"{', '.join(whole)}.",
        check("says", "models with heads of 64", "many", f"{heads} of {total}", heads > total / 4),
        check("suggests", "models 512 wide with 8 heads of 64", "many", f"{len(whole)} of {total}", len(whole) > total / 4),
        check("suggests", "median width of all models", "512 or less", run["median_width"], run["median_width"] <= 512),
    )


@QUESTIONS.add("c51", "Smaller models have smaller heads.",
    KEY_DIM.line(93, "it is common practice to use smaller `key_dim` for smaller models"), see("models"),
    numpy("published_choices"),
)  # fmt: skip
def smaller_heads(run):
    narrow, wide = run["median_d_k"]
    smallest, largest = run["gemma_3"]
    gpt_2 = run["gpt_2"]
    return judged(
        f"That is a tendency: the median d_k is {narrow:g} in the narrower half of the models and {wide:g} in the wider half. "
        f"But GPT-2 keeps {gpt_2[0]} at every size, and Gemma 3 goes from {smallest} down to {largest}.",
        check("says", "median d_k of the narrower half", f"less than {wide:g}", narrow, narrow < wide),
        check("suggests", "different d_k among GPT-2's sizes", "more than 1", len(set(gpt_2)), len(set(gpt_2)) > 1),
        check("suggests", "d_k of the largest Gemma 3", f"more than {smallest}", largest, largest > smallest),
    )
