"""Claims about how many parameters a layer or a model has, and what the number of heads does to that."""

from experiments.records import Questions, check, equal, free, listed, numpy, see
from lessons.question import BLOG

QUESTIONS = Questions("Conventions")
#: The vocabulary that RobertaConfig assumes: up to transformers 4.29.2, and since 4.30.0.
EARLIER, SINCE = 30522, 50265

QUESTIONS.add("c83", "The number of heads does not change the number of parameters.",
    BLOG.line(1, "changing the number of heads not change the number of parameters in the model?"),
    see("heads", **free(512, 16, 64)), numpy("conventions", d_model=512, heads=[4, 8, 16], key_dim=64),
    asked="do more heads mean more weights, does the number stay the same",
    numbers={"first_paper": "paper[0]", "first_keras": "keras[0]", "second_keras": "keras[1]", "third_keras": "keras[2]"},
    says="Constant where d_k = d_model / h ({first_paper}); where key_dim stays fixed, as in Keras, {first_keras} / "
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
