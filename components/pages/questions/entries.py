"""Everything that can be found, from the app's own tables: a page, question, claim, setting, step or model that is added there is
found here once `make index` has written it down (`python -m components.pages.questions.entries`)."""

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import astuple, replace
from functools import cache
from urllib.parse import quote, urlencode

from components.menu import ENTRIES, START
from components.page_settings import OF_PAGES
from components.pages.questions.ranking import Index, Item, sought
from components.presenter.walk import read_aloud, says
from headcount import Config, count_parameters
from headcount.assets import ASSETS
from headcount.codegen import LIBRARIES, write
from headcount.codegen import Settings as Program
from headcount.config import divisors
from headcount.cost import multiply_adds
from headcount.export.request import OF_B
from headcount.keras.layer import KerasLayer
from headcount.ledger import OF_KERAS, VARIABLES, Variable
from headcount.models.table import entries, row
from headcount.names import LABELS, counted
from headcount.settings import DEFAULTS, HEAD_SIZES, SHARED, STOPS, SWITCHES, TYPED, Setting, Word, by_code
from headcount.steps import STEPS, Step
from headcount.torch_masks import NOT_BOTH
from lessons.claims import QUESTIONS
from lessons.glossary import GLOSSARY, plain, step_of
from lessons.question import See
from lessons.walk import STEPS as WALK

ROOT = ASSETS.parent


def address(page: str, query: Mapping[str, object] | None = None) -> str:
    """Address of a page, relative to the pages, so that it holds wherever the app is served."""
    return ("./" if page in ("", START.page) else f"./{page}") + (f"?{urlencode(query, quote_via=quote)}" if query else "")


#: What people call the subject of a page, besides its title and its question.
ALSO = {
    "trained_heads": "why use multi headed attention, intuition behind multiple attention heads, how many heads should I use, "
    "ablation on the number of heads, sixteen heads better than one",
    "projections": "what are queries, keys and values, QKV, linear layers, split or project",
    "attention": "attention maps, attention weights, scores, softmax, scaled dot product, mask, visualize",
    "concatenation": "combine heads, output projection W_O, concat, sum of heads",
    "keras_layer": "value of key_dim, query value key arguments, return_attention_scores, attention_mask, input shape, missing "
    "argument, what a bias does, gradient, key bias",
    "models": "GQA, MQA and MHA, KV cache, GPU memory, flops calculation, FLOPs, num_key_value_heads, config.json, head_dim",
    "own_layer": "visualize my own attention weights, load, upload, safetensors, npz",
    "quiz": "test yourself, exercises",
    "figures": "diagram, picture, slide, paper, svg, png, download",
}


def of_pages() -> Iterator[Item]:
    """Entries of the pages, found by their titles, the question that each answers (the first line of its file), and numbers of
    the first layer."""
    opened = Config()
    cost = f"what it costs: {sum(multiply_adds(opened).values()):,} multiply-adds, FLOPs, memory, KV cache"
    same = "number of heads, same count, total size, paper, PyTorch, Hugging Face or Keras convention"
    printed = {"heads": f"{count_parameters(opened):,} parameters, {same}", "models": cost}
    for entry in ENTRIES.values():
        page = entry.page
        asks = ast.get_docstring(ast.parse((ROOT / entry.file).read_text(encoding="utf-8"))) or ""
        text = f"{page} {printed.get(page, '')}"
        yield Item("page", f"{entry.title}: {asks.splitlines()[0]}", address(page), text, asked=ALSO.get(page, ""))


#: Settings of the layer's pages that are not on the one about attention.
OTHERWISE = {"head_off": "concatenation", "combine": "concatenation", **dict.fromkeys(("array", "times"), "keras_layer")}


def of_settings() -> Iterator[Item]:
    """Entries of the settings, found by their names, labels and help; a choice of several words has entries of its own, too."""
    for setting in SHARED:
        yield from _of_setting(setting, "")
    for page, rows in OF_PAGES.items():
        for setting in rows:
            yield from _of_setting(setting, OTHERWISE.get(setting.code, page))


#: Settings whose choices are no entries: they are entries of their own.
NOT_BY_CHOICE = ("question", "model")
#: What else must be chosen for a setting to be seen.
WITH: dict[str, dict[str, str]] = {
    **{setting.code: {"numbers": "typed"} for setting in TYPED}, **{key: {"figure": "two_layers"} for key in OF_B},
    **{code: {"part": "masks"} for code in ("attention_mask", "mask_case", "lengths", "mask_cells")},
    "attention_axes": {"part": "axes"}, "num_kv_heads": {"part": "groups"}, "library": {"part": "code"},
    **{code: {"part": "arrays"} for code in ("idea", "array", "times")},
    "model_layers": {"model": "this-layer"},
    **{key: {"task": "dinner"} for key in ("heads", "dinner", "guest")},
}  # fmt: skip
#: What PyTorch and configurations of transformers call a setting, and what people call a choice.
ELSEWHERE = {
    "d_model": "embed_dim hidden_size n_embd dim", "num_heads": "num_attention_heads n_head nhead heads",
    "key_dim": "head_dim d_k d_kv kdim", "value_dim": "d_v vdim",
    "query_len": "sequence length T", "key_len": "sequence length S",
    "mask": "is_causal attn_mask causal", "use_bias": "bias attention_bias qkv_bias add_bias_kv",
    "attention_mask": "attn_mask key_padding_mask",
    "num_kv_heads": "num_key_value_heads n_kv_heads multi_query GQA MQA grouped-query attention",
    "numbers=typed": "typed by you, numbers of your own",
    "present=1": "presenter, teach a class, lecture, walk, slides, beginner, explain attention simply",
}  # fmt: skip


def _of_setting(setting: Setting, page: str) -> Iterator[Item]:
    label = setting.label or setting.code
    name = f"{label}, {setting.code} in the address" if label != setting.code else f"{setting.code}, in the address"
    chosen = WITH.get(setting.code, {})
    yield Item("setting", name, address(page, chosen), f"{setting.help} {ELSEWHERE.get(setting.code, '')}")
    if isinstance(setting, Word) and setting.code not in NOT_BY_CHOICE:
        for place, choice in enumerate(setting.choices):
            words = setting.labels[place] if setting.labels else choice
            spelt = f"{setting.code}={choice}"
            where = address(page, chosen | {setting.code: choice})
            yield Item("setting", f"{label}: {words}, {spelt} in the address", where, asked=ELSEWHERE.get(spelt, ""))


#: What people call the subject of a question, by its theme.
OF_THEME = {
    "Scaling": "attention scaling, scale factor, scaling factor, softmax scale, 1/sqrt(d_k), dividing by a scalar",
    "Low precision": "fp16, half precision, mixed precision, 16-bit, bf16, overflow, mask value, additive attention mask",
    "Kernels and devices": "FlashAttention, kernel, head_dim of 32, 64, 128 or 256, size of heads, tensor parallelism, GPUs",
    "Shared keys and values": "GQA, MQA, KV heads, n_kv_heads, repeat_kv",
    "Adapters and pruning": "LoRA, adapter, rank, target modules, trainable parameters, remove heads, smaller model",
    "Cache and memory": "KV cache, GPU memory, out of memory, bytes, memory requirements",
    "Numbers that do nothing": "qkv bias, key bias, in_proj_bias, redundant parameters",
    "Head size": "dim over heads, inner dimension",
    "Weights": "in_proj_weight, state dict, kernels and biases",
    "Parameters": "parameter count, num_heads, total parameters",
    "Maps": "attention weights of each head, attention maps, average over heads, return attention scores",
    "Masks": "attention mask, attn_mask, padding mask, causal mask",
    "Heads": "number of heads, several heads, attention heads",
}


def of_questions() -> Iterator[Item]:
    """Entries of the questions, found by what is asked and by the answer. A statement's answer begins with its verdict, and it
    is found by the article's words and the code that is run, too."""
    for one in QUESTIONS:
        answer, layer = one.answer, _layer_in_words(one.see)
        says = f"{answer.verdict.capitalize()}: {answer.text}" if one.source else answer.text
        numbers = " ".join(f"{what} {value}" for what, value in answer.rows)
        if one.source:
            text = f"{one.source.quote} {one.source.article.title} {one.code} {layer}"
        else:
            text = f"{one.theme} {OF_THEME.get(one.theme, '')} {layer} {numbers}"
        kind, where = "claim" if one.source else "question", address("questions", {"question": one.id})
        yield Item(kind, one.asks, where, text, says, one.asked)


def _of_walk(number: int) -> str:
    return address("", {"present": 1, "step": number})


def of_walk() -> Iterator[Item]:
    """The steps of the walk, by what they say and the words that they explain."""
    for number, step in enumerate(WALK, 1):
        where = _of_walk(number)
        yield Item("step", step.headline, where, " ".join(("what is", *step.terms)), read_aloud(says(step)))


#: What PyTorch, Keras and transformers say, word for word, where these pages show why.
MESSAGES = (
    ("AssertionError: embed_dim must be divisible by num_heads", "", {"d_model": 16, "num_heads": 3}),
    ("ValueError: The hidden size is not a multiple of the number of attention heads", "", {"d_model": 16, "num_heads": 3}),
    ("Unrecognized keyword arguments passed to MultiHeadAttention", "keras_layer", {"part": "call"}),
    ("The shape of the 2D attn_mask is not right; attn_mask shape must be", "keras_layer", {"part": "masks"}),
    (NOT_BOTH, "keras_layer", {"part": "masks", "mask_case": "pytorch"}),
    ("RuntimeError: Number of heads in key/value must divide number of heads in query", "keras_layer", {"part": "groups"}),
)  # fmt: skip


def of_messages() -> Iterator[Item]:
    for message, page, query in MESSAGES:
        yield Item("message", message, address(page, query), "error")


def _layer_in_words(see: See) -> str:
    """The settings under which it is seen, and the count of that layer where there is one."""
    of_layer = ("d_model", "num_heads", "key_dim", "value_dim", "use_bias")
    sizes = {key: value for key, value in see.query.items() if key in of_layer}
    spelt = " ".join(f"{key} {value}" for key, value in see.query.items())
    try:
        return f"{spelt} {count_parameters(Config(**sizes)):,}" if "d_model" in sizes else spelt  # type: ignore[arg-type]
    except ValueError:
        return spelt


#: Settings, as the address spells them, of which each gives a layer steps or variables that it has not by itself.
GIVING = (
    {"use_gate": "true"}, {"dropout": "0.5", "training": "true"}, {"rotary": "halves"}, {"qk_norm": "layer"},
    {"qk_norm": "rms_wide"}, {"soft_cap": "50.0"}, {"alibi": "true"}, {"sinks": "true"},
)  # fmt: skip


def in_a_layer_with(one: Step | Variable) -> dict[str, str]:
    """The settings with which a layer has this step or variable."""
    settings = by_code((*SHARED, *SWITCHES))
    for given in ({}, *GIVING):
        if one.there(replace(Config(), **{code: settings[code].parse(value) for code, value in given.items()})):
            return given
    raise AssertionError(f"no setting gives a layer {one.name}")


def of_steps() -> Iterator[Item]:
    """The layer's intermediates and variables, by their names here, in the paper, in Keras and in PyTorch."""
    for step in STEPS:
        cell = f"{step.name}.1.1" if step.name in ("concat", "output") else f"{step.name}.1.1.1"
        page = {"q": "projections", "k": "projections", "v": "projections", "context": "concatenation", "concat": "concatenation",
                "output": "concatenation"}.get(step.name, "attention")  # fmt: skip
        text = f"{step.name} {step.einsum} {step.op}"
        yield Item("step", f"{LABELS[step.name]}: {step.sentence}", address(page, in_a_layer_with(step) | {"cell": cell}), text)
    for one in VARIABLES:
        keras = {"part": "variables"} | in_a_layer_with(one)
        where = address("keras_layer", keras) if one.name in OF_KERAS else address("attention", in_a_layer_with(one))
        together = " of all heads together" if one.name.startswith("wide") else ""
        library = "Keras" if one.name in OF_KERAS else "transformers"
        places = f"{LABELS[one.name]}{together}, {one.path} in {library}, {one.torch} in PyTorch"
        yield Item("variable", places, where, f"{one.name} {one.axes}")


def of_programs() -> Iterator[Item]:
    """The layer as a program in each library, by every name in it."""
    for library in LIBRARIES:
        shape = (1, 6, 16)
        script = write(Program(KerasLayer(4, 4, 4, shape, shape), causal=True), library)
        where = address("keras_layer", {"part": "code", "library": library.lower()})
        yield Item("program", f"This layer as a program in {library}", where, script)


def of_models() -> Iterator[Item]:
    """Entries of the models, found by name, family and source, and by every number of the table of models."""
    for slug, entry in entries().items():
        facts = " ".join(f"{key} {value:,}" if isinstance(value, int) else f"{value}" for key, value in row(slug).items())
        text = f"{entry.name} {entry.model.model_type} parameters heads {facts}"
        yield Item("model", slug, address("models", {"model": slug}), text)


def of_counts(query: str) -> Iterator[Item]:
    """Entries for a whole number that is looked for: the layers in the paper's split that have so many parameters."""
    wanted = sought(query)
    if len(wanted) != 1 or not wanted[0].isascii() or not wanted[0].isdigit() or len(wanted[0]) > 12:
        return
    for width in STOPS["d_model"]:
        for use_bias in (True, False):
            cfg = Config(width, 1, use_bias=use_bias)
            if count_parameters(cfg) == int(wanted[0]):
                heads = max(h for h in divisors(width) if h <= 8)
                biases = "with biases" if use_bias else "without biases"
                chosen = {"d_model": width, "num_heads": heads} | ({} if use_bias else {"use_bias": "false"})
                name = f"{count_parameters(cfg):,} parameters: every head count that divides d_model {width}, {biases}"
                yield Item("layer", name, address("", chosen), wanted[0])


def of_shapes(query: str) -> Iterator[Item]:
    """Entries for an input's shape that is looked for, with or without its batch: what the real layer makes of it."""
    sizes = sought(query)
    spelt = all((word.isascii() and word.isdigit()) or word == "none" for word in sizes)
    if len(sizes) < 2 or not spelt or not {*query} & {*"(,x×"}:
        return
    inner = sizes[1:] if sizes[0] == "none" or len(sizes) > 2 else sizes
    if 2 <= len(inner) <= 4 and "none" not in inner and all(1 <= int(size) <= 512 for size in inner if len(size) < 5):
        name = f"An input ({', '.join(inner)}): the shapes of the real Keras layer"
        yield Item("layer", name, address("keras_layer", {"part": "shapes", "input_shape": ",".join(inner)}), " ".join(sizes))


#: The sizes of a layer in what is typed: num_heads=8, key_dim 64, 8 heads, 512 wide.
SIZES = {
    code: re.compile(rf"\b(?:{'|'.join((code, *ELSEWHERE[code].split()))})\s*[=:]?\s*(\d{{1,5}})\b{after}")
    for code, after in {
        "d_model": r"|\b(\d{1,5})\s+wide\b", "num_heads": r"|\b(\d{1,5})\s+heads\b", "key_dim": "", "value_dim": "",
    }.items()
}  # fmt: skip


def of_calls(query: str) -> Iterator[Item]:
    """The layer of the sizes that are looked for by name, as in a call: Keras's where a head has a size of its own, whose values
    are as wide as its keys where nothing else is said; else the paper's."""
    sizes = {code: int(next(filter(None, found.groups()))) for code, size in SIZES.items() if (found := size.search(query))}
    own = [sizes[code] for code in HEAD_SIZES if code in sizes]
    d_model, heads = (sizes.get(code, DEFAULTS[code]) for code in ("d_model", "num_heads"))
    try:
        for code, size in sizes.items():
            by_code(SHARED)[code].check(size)
    except ValueError:
        return
    if len(sizes) < 2 or (not own and d_model % heads):
        return
    cfg = Config(d_model, heads, own[0], own[-1]) if own else Config(d_model, heads)
    name = f"{counted(heads, 'head')} of {cfg.key_dim} on an input {d_model} wide"
    where = (
        address("keras_layer", sizes | {"key_dim": own[0], "value_dim": own[-1], "split": "Keras"}) if own else address("", sizes)
    )
    yield Item("layer", f"{name}{', as Keras builds them' if own else ''}: {count_parameters(cfg):,} parameters", where)


def of_terms(query: str) -> Iterator[Item]:
    """Where a word of the lesson is looked for ("what is a head", "softmax"): the step of the walk that explains it, as it is
    written down, with the word's own sentence, or the step's that has it."""
    wanted = " ".join(sought(query))
    known = {plain(word): word for word in GLOSSARY}
    places = {term: number for number, step in enumerate(WALK, 1) for term in step.terms}
    for term, number in {**places, **{name: step_of(word) for name, word in known.items()}}.items():
        if wanted in (term.lower(), f"{term.lower()}s"):
            where = _of_walk(number)
            item = next(item for item in index().items if item.address == where)
            sentences = re.split(r"(?<=[.?!])\s", item.answer)
            said = next((one for one in sentences if term.lower() in one.lower()), sentences[0])
            yield replace(item, answer=plain(GLOSSARY[known[term]]) if term in known else said)


FILE = ASSETS / "search.json"


def every() -> list[Item]:
    """All entries, from the tables and the answers that are written down."""
    sources = (of_pages, of_settings, of_questions, of_steps, of_walk, of_messages, of_programs, of_models)
    return [item for source in sources for item in source()]


@cache
def index() -> Index:
    """The index of all entries that are written down."""
    return Index([Item(*fields) for fields in json.loads(FILE.read_text(encoding="utf-8"))])


def found(query: str, most: int) -> list[Item]:
    """The entries that fit best, best first; layers with just that count, shape or sizes, and what a word means, before all
    others."""
    first = {item.address: item for items in (of_counts, of_shapes, of_calls, of_terms) for item in items(query)}
    return [*first.values(), *(item for item in index().ranked(query, most) if item.address not in first)][:most] if query else []


if __name__ == "__main__":
    items = [astuple(item) for item in every()]
    FILE.write_text(json.dumps(items, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{FILE}: {len(items)} entries\n")
