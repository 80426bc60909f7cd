"""Claims about the width of a layer and of its heads, and about their parameters."""

from experiments.records import Questions, check, equal, fewer, free, layer, listed, more, numpy, see
from lessons.question import BLOG, KEY_DIM

QUESTIONS = Questions("Conventions")
#: The default vocabulary of RobertaConfig: up to transformers 4.29.2, and since 4.30.0.
EARLIER, SINCE = 30522, 50265

QUESTIONS.add("c96", "d_model must be a multiple of the number of heads.",
    BLOG.line(40, "the dimension of the embeddings have to be a multiple of the number of heads"), see("heads", **free(8, 3, 5)),
    numpy("conventions", d_model=8, heads=[3], key_dim=5),
    asked="nn.MultiheadAttention lets me choose no other size, isn't embed_dim divided by num_heads",
    numbers={"first_keras": "keras[0]"},
    says="PyTorch and Hugging Face's BERT refuse 3 heads for 8 features. T5 and Keras, with a head size of their own, do not: "
    "Keras builds 3 heads of 5, with {first_keras} parameters. PyTorch's nn.MultiheadAttention has no argument for it: take "
    "Linear layers of your own and scaled_dot_product_attention.",
    checks=lambda run: [
        check("case", what, "no such layer", f"{count:,} parameters" if count else "no such layer", not count)
        for what, (count,) in (
            ("d_k = d_model / h (PyTorch, BERT)", run["paper"]), ("3 heads with key_dim 5 (Keras)", run["keras"]),
        )
    ],
)  # fmt: skip

QUESTIONS.add(
    "c94", "d_k and d_v are d_model / h.", BLOG.line(38, "d_k = d_v = d_model/h"), see("heads", **free(512, 6, 64)),
    numpy("layers", sizes=[layer(512, 8, 64), layer(512, 6, 64), layer(3072, 16, 256)]),
    asked="what do d_model, n_head, d_k and d_v stand for, dimension of each head",
    numbers={"second_concat": "layers[1][concat]", "third_concat": "layers[2][concat]"},
    says="That is the paper's choice, not a law. Flan-T5-small has 6 heads of 64 at width 512 ({second_concat} in all), Gemma-7B "
    "16 heads of 256 at width 3,072 ({third_concat} in all).",
    checks=lambda run: [
        equal("says", "h · d_k of the paper's base model", 512, run["layers"][0]["concat"]),
        equal("suggests", "6 heads of 64 at width 512, in all", 512, run["layers"][1]["concat"]),
        equal("suggests", "16 heads of 256 at width 3072, in all", 3072, run["layers"][2]["concat"]),
    ],
)  # fmt: skip

QUESTIONS.add("c36", "A width of 512 with 8 heads of 64 is a very common choice in large models.",
    KEY_DIM.line(42, "very common configuration for intermediate layers in larger transformer models"), see("models"),
    numpy("published_choices"),
    says="Of {models} published models, {d_k_64} have heads of 64. Only {base_layers} are 512 wide with 8 of them: "
    "{base_layer:each}.",
    checks=lambda run: [
        more("says", "models with heads of 64, of all", run["d_k_64"], run["models"] / 4),
        more("suggests", "models 512 wide with 8 heads of 64", run["base_layers"], run["models"] / 4),
        check("suggests", "median width of all models", "512 or less", run["median_width"], run["median_width"] <= 512),
    ],
)  # fmt: skip

QUESTIONS.add("c51", "Smaller models have smaller heads.",
    KEY_DIM.line(93, "it is common practice to use smaller `key_dim` for smaller models"), see("models"),
    numpy("published_choices"),
    numbers={"first_median_d_k": "median_d_k[0]", "second_median_d_k": "median_d_k[1]", "first_gpt_2": "gpt_2[0]",
             "first_gemma_3": "gemma_3[0]", "second_gemma_3": "gemma_3[1]"},
    says="That is a tendency: the median d_k is {first_median_d_k:g} in the narrower half of the models and "
    "{second_median_d_k:g} in the wider half. But GPT-2 keeps {first_gpt_2} at every size, and Gemma 3 goes from "
    "{first_gemma_3} down to {second_gemma_3}.",
    checks=lambda run: [
        fewer("says", "median d_k of the narrower half", run["median_d_k"][0], run["median_d_k"][1]),
        more("suggests", "different d_k among GPT-2's sizes", len({*run["gpt_2"]}), 1),
        more("suggests", "d_k of the largest Gemma 3", run["gemma_3"][1], run["gemma_3"][0]),
    ],
)  # fmt: skip

QUESTIONS.add("c83", "The number of heads does not change the number of parameters.",
    BLOG.line(1, "changing the number of heads not change the number of parameters in the model?"),
    see("heads", **free(512, 16, 64)), numpy("conventions", d_model=512, heads=[4, 8, 16], key_dim=64),
    asked="do more heads mean more weights, does the number stay the same",
    numbers={"first_paper": "paper[0]", "first_keras": "keras[0]", "second_keras": "keras[1]", "third_keras": "keras[2]"},
    says="It is constant if d_k = d_model / h ({first_paper}). If key_dim stays fixed, as in Keras, it is {first_keras} / "
    "{second_keras} / {third_keras} for 4, 8 and 16 heads.",
    checks=lambda run: [
        check("case", f"{case}, with 4, 8 and 16 heads", "one count", listed(run[how]), len({*run[how]}) == 1)
        for case, how in (("d_k = d_model / h", "paper"), ("key_dim fixed at 64", "keras"))
    ],
)  # fmt: skip

QUESTIONS.add("c87", "RoBERTa has as many parameters with 4 heads as with 12.",
    BLOG.line(18, "the number of parameters in the model stayed the same"), see("models", model="RoBERTa-blog"),
    numpy("roberta", models=[{"num_attention_heads": 4}, {"num_attention_heads": 12}]),
    says="What is more, {same} of {kinds} kinds of arrays keep their shapes, because no shape contains the number of heads.",
    checks=lambda run: [
        equal("says", "parameters with 4 heads, compared with 12", run["counts"][1], run["counts"][0]),
        equal("says", "kinds of arrays that keep their shapes", run["kinds"], run["same"]),
    ],
)  # fmt: skip

QUESTIONS.add("c85", "The first model of the blog has 109,514,298 parameters.",
    BLOG.line(14, "# Number of parameters with 3 heads:109514298"), see("models", model="RoBERTa-blog", model_heads=4),
    numpy("roberta", models=[{"num_attention_heads": 4, "vocab_size": words} for words in (EARLIER, SINCE)]),
    says=f"That is the count up to transformers 4.29.2; since 4.30.0, a RobertaConfig assumes {SINCE:,} words instead of "
    f"{EARLIER:,}, and the count is {{count_since}}.",
    numbers={"count_since": "counts[1]"},
    checks=lambda run: [equal("case", f"vocabulary of {words:,} (4 heads)", 109514298, count)
                        for words, count in zip((EARLIER, SINCE), run["counts"], strict=True)],
)  # fmt: skip
