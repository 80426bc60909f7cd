"""Claims that depend on a convention, a version or what is usual, and those in which there is nothing to measure."""

from typing import Any

from lessons.claims.records import BLOG, KEY_DIM, NONE_6_8, Check, Claims, Run, check, equal, free, judgement, layer, numpy, see

CLAIMS = Claims()
COUNTS = numpy("conventions", d_model=512, heads=[4, 8, 16], key_dim=64)
#: The vocabulary that RobertaConfig assumes: up to transformers 4.29.2, and since 4.30.0.
EARLIER, SINCE = 30522, 50265
BUILT = "config_3 = RobertaConfig( num_attention_heads=4)"


def _numbers(values: list) -> str:
    return " / ".join(f"{value:,}" for value in values)


def _one_count(case: str, counts: list) -> Check:
    return equal("case", f"{case}: different counts for 4, 8 and 16 heads", 1, len(set(counts)))


@CLAIMS.add(
    number=83,
    source=BLOG.line(1, "changing the number of heads not change the number of parameters in the model?"),
    says="The number of heads does not change the number of parameters.",
    run=COUNTS,
    see=see("heads", **free(512, 16, 64)),
)
def heads_and_parameters(run):
    return judgement(
        f"Constant where d_k = d_model / h ({run['paper'][0]:,}); where key_dim stays fixed, as in Keras, "
        f"{_numbers(run['keras'])} for 4, 8 and 16 heads.",
        _one_count("d_k = d_model / h", run["paper"]),
        _one_count("key_dim fixed at 64", run["keras"]),
    )


@CLAIMS.add(
    number=98,
    source=BLOG.line(42, "by changing the number of heads, the number of weight parameters do not change"),
    says="Obviously, another number of heads has just as many weights.",
    run=COUNTS,
    see=see("heads", **free(512, 4, 64)),
)
def evidently(run):
    return judgement(
        f"Obvious only while h · d_k stays fixed: 4 heads of 64 have {run['keras'][0]:,} parameters, 4 heads of 512 / 4 = "
        f"{run['paper_size'][0]} have {run['paper'][0]:,}.",
        _one_count("h · d_k fixed at 512", run["paper"]),
        _one_count("d_k fixed at 64", run["keras"]),
    )


@CLAIMS.add(
    number=95,
    source=BLOG.line(40, "with the changing number of heads, *d_k* and *d_v* do change"),
    says="When the number of heads changes, d_k and d_v change.",
    run=COUNTS,
    see=see("heads", d_model=512, num_heads=16),
)
def head_size_changes(run):
    paper, keras = run["paper_size"], run["keras_size"]
    return judgement(
        f"With d_k = d_model / h they do ({_numbers(paper)}); Keras's key_dim, or T5's d_kv, stays as it was set ({keras[0]}).",
        check("case", "d_k = d_model / h: sizes for 4, 8 and 16 heads", "change", _numbers(paper), len(set(paper)) > 1),
        check("case", "key_dim given, as in Keras: sizes", "change", _numbers(keras), len(set(keras)) > 1),
    )


@CLAIMS.add(
    number=96,
    source=BLOG.line(40, "the dimension of the embeddings have to be a multiple of the number of heads"),
    says="d_model must be a multiple of the number of heads.",
    run=numpy("divisibility", d_model=8, num_heads=3, key_dim=5),
    see=see("heads", **free(8, 3, 5)),
)
def multiple(run):
    paper = "no such layer" if run["paper"] is None else f"{run['paper']:,} parameters"
    keras = f"{run['keras'] or 0:,} parameters"
    return judgement(
        f"PyTorch and Hugging Face refuse 3 heads for 8 features; Keras builds 3 heads of 5, with {keras}.",
        check("case", "d_k = d_model / h (PyTorch, Hugging Face)", "no such layer", paper, run["paper"] is None),
        check("case", "3 heads with key_dim 5 (Keras)", "no such layer", keras, not run["keras"]),
    )


@CLAIMS.add(
    number=94,
    source=BLOG.line(38, "d_k = d_v = d_model/h"),
    says="d_k and d_v are d_model / h.",
    run=numpy("layers", sizes=[layer(512, 8, 64), layer(512, 6, 64), layer(3072, 16, 256)]),
    see=see("heads", **free(512, 6, 64)),
)
def paper_choice(run):
    base, t5, gemma = run["layers"]
    return judgement(
        f"That is the paper's choice, not a law: Flan-T5-small has 6 heads of 64 at width 512 ({t5['concat']} in all), Gemma-7B "
        f"16 heads of 256 at width 3,072 ({gemma['concat']:,} in all).",
        equal("says", "h · d_k of the paper's base model", 512, base["concat"]),
        equal("suggests", "6 heads of 64 at width 512, in all", 512, t5["concat"]),
        equal("suggests", "16 heads of 256 at width 3072, in all", 3072, gemma["concat"]),
    )


@CLAIMS.add(
    number=93,
    source=BLOG.line(37, "theoretically d_v could be different than d_k"),
    says="d_v may differ from d_k.",
    run=numpy("layers", sizes=[layer(16, 4, 3, 5)]),
    see=see("heads", **free(16, 4, 3, 5)),
)
def different_values(run):
    (facts,) = run["layers"]
    key, value = facts["variables"]["key/kernel"], facts["variables"]["value/kernel"]
    return judgement(
        f"Not only in theory: there is a layer with W_K {tuple(key)} and W_V {tuple(value)}; it has {facts['count']:,} "
        "parameters.",
        equal("says", "last axes of W_K and W_V", [3, 5], [key[-1], value[-1]]),
    )


@CLAIMS.add(
    number=36,
    source=KEY_DIM.line(42, "very common configuration for intermediate layers in larger transformer models"),
    says="A width of 512 with 8 heads of 64 is a very common choice in large models.",
    run=numpy("published_choices"),
    see=see("models"),
)
def usual_layer(run):
    heads, whole, total = run["d_k_64"], run["base_layer"], run["models"]
    return judgement(
        f"Of {total} published models, {heads} have heads of 64, but only {len(whole)} are 512 wide with 8 of them: "
        f"{', '.join(whole)}.",
        check("says", "models with heads of 64", "many", f"{heads} of {total}", heads > total / 4),
        check("suggests", "models 512 wide with 8 heads of 64", "many", f"{len(whole)} of {total}", len(whole) > total / 4),
        check("suggests", "median width of all models", "512 or less", run["median_width"], run["median_width"] <= 512),
    )


@CLAIMS.add(
    number=51,
    source=KEY_DIM.line(93, "it is common practice to use smaller `key_dim` for smaller models"),
    says="Smaller models have smaller heads.",
    run=numpy("published_choices"),
    see=see("models"),
)
def smaller_heads(run):
    narrow, wide = run["median_d_k"]
    smallest, largest = run["gemma_3"]
    gpt_2 = run["gpt_2"]
    return judgement(
        f"That is a tendency: the median d_k is {narrow:g} in the narrower half of the models and {wide:g} in the wider half. "
        f"But GPT-2 keeps {gpt_2[0]} at every size, and Gemma 3 goes from {smallest} down to {largest}.",
        check("says", "median d_k of the narrower half", f"less than {wide:g}", narrow, narrow < wide),
        check("suggests", "different d_k among GPT-2's sizes", "more than 1", len(set(gpt_2)), len(set(gpt_2)) > 1),
        check("suggests", "d_k of the largest Gemma 3", f"more than {smallest}", largest, largest > smallest),
    )


@CLAIMS.add(
    number=87,
    source=BLOG.line(18, "the number of parameters in the model stayed the same"),
    says="RoBERTa has as many parameters with 4 heads as with 12.",
    run=numpy("roberta", models=[{"num_attention_heads": 4}, {"num_attention_heads": 12}]),
    see=see("models", model="RoBERTa-blog"),
)
def roberta_stays(run):
    (four, twelve), (few, many) = run["counts"], run["shapes"]
    same = sum(a == b for a, b in zip(few.values(), many.values(), strict=True))
    return judgement(
        f"What is more, {same} of {len(few)} kinds of arrays keep their shapes, because no shape contains the number of heads.",
        equal("says", "parameters with 4 heads, compared with 12", twelve, four),
        equal("says", "all shapes are the same", True, few == many),
    )


@CLAIMS.add(
    number=84,
    source=BLOG.line(7, BUILT),
    says="The code compares a model with 3 heads to one with 12.",
    run=numpy("roberta", models=[{"num_attention_heads": 3}, {"num_attention_heads": 4}, {"num_attention_heads": 12}]),
    see=see("models", model="RoBERTa-blog", model_heads=4),
)
def three_or_four(run):
    built = int(BUILT.partition("heads=")[2].rstrip(")"))
    three, four, twelve = run["counts"]
    return judgement(
        f"The model called “3 heads” is built with {built}. As 3 heads would give the same {three or 0:,}, the point stands.",
        equal("says", "parameters with 3 heads, compared with 12", twelve, three),
        equal("says", "parameters with 4 heads, compared with 12", twelve, four),
        equal("suggests", "heads of the model that is built", 3, built),
    )


def _blog_counts(heads: int) -> Run:
    return numpy("roberta", models=[{"num_attention_heads": heads, "vocab_size": words} for words in (EARLIER, SINCE)])


def _printed(run: dict, heads: str):
    earlier, since = run["counts"]
    return judgement(
        f"That is the count up to transformers 4.29.2; since 4.30.0, a RobertaConfig assumes {SINCE:,} words instead of "
        f"{EARLIER:,}, and the count is {since:,}.",
        equal("case", f"vocabulary of {EARLIER:,} ({heads})", 109514298, earlier),
        equal("case", f"vocabulary of {SINCE:,} ({heads})", 109514298, since),
    )


@CLAIMS.add(
    number=85,
    source=BLOG.line(14, "# Number of parameters with 3 heads:109514298"),
    says="The first model of the blog has 109,514,298 parameters.",
    run=_blog_counts(4),
    see=see("models", model="RoBERTa-blog", model_heads=4),
)
def first_count(run):
    return _printed(run, "4 heads")


@CLAIMS.add(
    number=86,
    source=BLOG.line(15, "# Number of parameters with 12 heads:109514298"),
    says="The second model of the blog, with 12 heads, has 109,514,298 parameters.",
    run=_blog_counts(12),
    see=see("models", model="RoBERTa-blog"),
)
def second_count(run):
    return _printed(run, "12 heads")


def _opinion(page: str, why: str, **claim: Any) -> None:
    CLAIMS.add(**claim, run=numpy("nothing"), see=see(page))(lambda run: judgement(why))


_opinion(
    number=2,
    source=KEY_DIM.line(
        6, "inappropriate configurations lead to either underutilization of the available computational resources"
    ),
    page="heads",
    says="Badly chosen sizes waste what the machine could do.",
    why="It names no sizes, no machine and no measure, so no run could contradict it.",
)
_opinion(
    number=53,
    source=KEY_DIM.line(93, "Careful experimentation is the best means of tuning these parameters"),
    page="heads",
    says="Trial and error is the best way to choose the sizes.",
    why="Advice: it predicts no number, and any outcome of a trial would fit it.",
)
_opinion(
    number=82,
    source=NONE_6_8.line(80, "offers a practical approach to understanding attention mechanisms within the Keras framework"),
    page="attention",
    says="A well-known book explains attention in Keras in a practical way.",
    why="A judgement of a book: nothing in the layer can measure it.",
)
_opinion(
    number=104,
    source=BLOG.line(48, "those can be compared to feature maps in object detection"),
    page="attention",
    says="Attention maps are like the feature maps of object detection.",
    why="An analogy: it says what heads resemble, not what they compute.",
)
