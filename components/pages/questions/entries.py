"""Everything that can be found, from the app's own tables: a page, question, claim, setting, step or model that is added there is
found here once `make index` has written it down (`python -m components.pages.questions.entries`): the answers are run for it."""

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import astuple, replace
from functools import cache, partial
from urllib.parse import quote, urlencode

from components.export.request import OF_B
from components.menu import ENTRIES, START
from components.page_settings import OF_PAGES
from components.pages.models.further import row
from components.pages.presenter.walk import read_aloud, says
from components.pages.questions.ranking import Index, Item, sought
from components.pages.questions.results import answer_to
from lessons.claims import QUESTIONS, Answer, See
from lessons.glossary import GLOSSARY, plain, step_of
from lessons.walk import STEPS as WALK
from mha import Config, count_parameters
from mha.assets import ASSETS
from mha.codegen import LIBRARIES, write
from mha.codegen import Settings as Program
from mha.config import divisors
from mha.cost import multiply_adds
from mha.keras.layer import KerasLayer
from mha.ledger import OF_KERAS, VARIABLES, Variable
from mha.models.table import entries
from mha.names import LABELS
from mha.settings import SHARED, STOPS, SWITCHES, TYPED, Setting, Word, by_code
from mha.steps import STEPS, Step
from mha.torch_masks import NOT_BOTH

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
    "num_kv_heads": "num_key_value_heads multi_query GQA MQA grouped-query attention",
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


#: How people put it who do not know the answer's words, by the question that answers them.
ASKED = {
    "c13": "output_shape, dimension of the output and of the query",
    "c35": "heads are concatenated, then projected, why the heads are concatenated",
    "c56": "source of key and value, key and value from different inputs, compatible lengths",
    "c57": "value argument missing, two inputs, missing positional argument, two input layers",
    "c59": "last dimension of query_shape and value_shape must be equal",
    "c63": "output shape, output has the shape of the query, output shape does not match, output_shape argument",
    "c65": "what the call returns, return_attention_scores True or False, output and scores, tuple",
    "c73": "return_attention_scores does not work, symbolic, where to ask for the scores", "c77": "order of the arguments",
    "c79": "two linear layers after each other, composed, no activation between them",
    "c94": "what do d_model, n_head, d_k and d_v stand for, dimension of each head",
    "c106": "final linear layer after the concatenation",
    "q01": "parameter count is the same for any number of heads, more heads have fewer parameters, does not depend on the "
        "number of heads, changing nhead alters neither parameters nor complexity, should more heads mean more parameters, "
        "4·d², ViT-S with 12 or 6 heads, doubling the heads, formula of the parameter count, increases the parameters num_heads "
        "times",
    "q08": "key_dim, head_dim, dim_head, d_k: value and difference to d_model", "q09": "feature dimension, reshape the output",
    "q11": "dim is not dim_head · heads, inner dimension",
    "q12": "heads · head_dim is not hidden_size, not a whole number, head_dim of its own, explicit head_dim, independent of "
        "hidden_size / num_attention_heads, hidden dims, Qwen3",
    "q13": "d_k not equal to d_v, d_v is not d_model / h, other sizes for query, key and value, key_dim differs from value_dim, "
        "query_size and key_size, size mismatch at the output product, size of out_proj, queries and keys wider than values",
    "q15": "encoder and decoder of other widths, context, how to define query, key and value for cross-attention, where they "
        "come from, encoder output and decoder, must key and value come from one source, selection of q, k and v, decoder's "
        "second attention block, source of query, key and value, which come from the encoder, what q, k and v are in "
        "cross-attention",
    "q17": "key_padding_mask, padded tokens, variable lengths, automatic mask of an embedding, padding mask and look-ahead mask, "
        "masking mechanism, extended_attention_mask, 4D mask, unsqueeze",
    "q20": "use_causal_mask has no effect, causal mask is ignored, broken, dropped",
    "q22": "fully masked rows, zero rows, all padding, -inf, NaN, mask handled incorrectly, 3D mask with key_padding_mask, loss "
        "is NaN, rows of padding, softmax of -inf only, NaN where a batch has padding, certain mask patterns produce NaN",
    "q23": "softmax over which dimension of attention, dim=-1, axis, softmax over heads, flattened heads, each head normalised "
        "separately, whole query-key matrix",
    "q25": "average_attn_weights=False, need_weights, weights of each head, averaged, summarize all heads' scores, order, "
        "need_head_weights, return_attention, how to get the attention weights, visualize each head, which head's map is "
        "selected, combine the maps into one, missing parameter average_attn_weights",
    "q29": "bias=False or bias=True in query, key and value projections, to_out bias, linear without bias in the paper, "
        "qkv_bias, should have bias=False, why bias=True, biases of q, k and v, linear or affine, evidence that biases help, do "
        "bias terms matter",
    "q30": "fused qkv, packed, initialization, init, Xavier, Glorot, fan_in, fan_out, gain, split into separate q_proj, k_proj "
        "and v_proj",
    "q31": "no weights, 0 parameters, param is 0 in the summary, not built, save and load weights, from config",
    "q32": "load weights, copy, state dict, same result",
    "q36": "reshape, permute, wrong view, transpose before reshape, mixed tokens, contiguous, view or permute, transpose(1, 2), "
        "misaligned, order of dimensions, split_heads, how multi-head attention is implemented, in code, multi-headed attention "
        "class, where the heads come from, from 768 to 12 heads of 64",
    "q39": "which rows are one head, slices, views, fewer heads with shared parameters, order of heads",
    "q40": "where is the concatenation, last linear layer, missing projection, purpose, linear layer at the end of multi-head "
        "attention, where in the code the heads are concatenated, heads concatenated before the feed-forward layer, extra "
        "linear layer besides the three input projections",
    "q43": "heads are all the same, why heads learn different things, different attention in each head and layer, diversity, "
        "different subsets of the embedding, initialised differently, do heads compute the same projection several times",
    "q44": "why divide, why necessary, optional, normalization of the scores, dim_head ** -0.5, without sqrt",
    "q47": "attention_axes, image, 2D attention, specified dimension",
    "q48": "plain self-attention by hand has different results, three different linear transformations, K, V and Q identical, "
        "Q, K, V as input and projected again, what to pass as query, key and value, embeddings or already multiplied, "
        "multiplied twice, projected twice",
    "q49": "dimensions of query, key, value, what the argument embed_dim stands for",
    "r01": "qkv bias without key bias, bias of k set to 0, purpose of a masked key bias, bias in the attention layer, no k bias",
    "r04": "cross-attention with one token, pooled context, decoder",
    "r07": "why separate matrices for queries and keys, combine query and key weights, no output projection with one head, "
        "project out from the attention block",
    "r10": "share weights of query and key, linear transformation of key and query with the same weight, shared QK",
    "r11": "sum, max or mean over heads, aggregate results of heads, concatenation or summation, ensemble learning, each head a "
        "separate model",
    "r15": "permutation, positional encoding, order of tokens",
    "r16": "count parameters of BERT by hand, per head, trainable parameters of ViT or BERT",
    "r18": "only one head for key and value, head_dim of keys and values, one head_dim, dimensionality of key and values, one "
        "Linear to_kv",
    "r20": "kv cache formula, how to calculate the size, bytes, per layer", "r22": "kv cache size calculation is wrong, estimate",
    "r23": "memory of the attention matrix, quadratic memory, long sequences, fit in memory",
    "r25": "other lengths of query and key, seq_len, inconsistent lengths, as many keys as values, length of a condition, "
        "sequence lengths in cross-attention, sequences longer than in training, longest input, pad one sentence to 512 tokens",
    "r26": "any head size, unsupported, error, supported sizes, only 8, 16, 32, 64 and 128",
    "r27": "largest size, 256, 80, 96, limit, backend, sdpa, xformers, bigger than 128, which are supported",
    "r28": "world size, heads per GPU not divisible, tp_size larger than num_key_value_heads, replicate KV heads",
    "r30": "overflow in masked_fill, fp16 mode, autocast, finfo.min, -1e8, -1e9, half of the least number, factor of 2",
    "r31": "-np.inf, fill value, numerical instability, gradients NaN with -inf, future positions -inf and not 0",
    "r34": "order of mask and softmax, mask before or after the softmax",
    "r35": "scale, scale in attention, current scaling, scaled by emb_size, wrong scale or scalar, temperature, scale of "
        "multi-head attention",
    "r36": "attention scaling, scale of another paper", "r37": "position of the scale, scaling before or after the softmax",
    "r38": "scale q before the product, calculated twice, a root of a root, math.sqrt(math.sqrt(ch)), fourth root",
    "r39": "failed to set the n_kv_heads param, load a GQA checkpoint, convert multi-head to GQA, k_proj and v_proj shapes, size "
        "mismatch, copying a param, shape in the current model, MHA to GQA converter, mean pooling, convert GQA to MHA",
    "r40": "numbers of query heads and of key/value heads differ, mismatched head counts, query heads / key heads, repeat_kv",
    "r41": "GQA saves memory, speed of multi-query attention, faster, inference time",
    "r42": "two variables for the number of heads, GQA or MHA, MQA, which models use it, Llama2",
    "r45": "pruned module, smaller attention, attention_head_size, structured, prune whole heads, prune a linear layer inside "
        "attention, shapes do not match after pruning",
    "r46": "wrong parameter key_dim in an example, image classification, vision transformer, more parameters than in the paper, "
        "BERT built with Keras",
    "r48": "self.d_k, 64 dimensions, why 8 heads rather than 4, 12 or 16 heads, how many attention heads, flops, cost, number of "
        "heads in a Transformer, BERT large has 16 heads, tied to the number of layers",
    "r49": "dim_head set to 1, heads too small",
    "r50": "kdim, vdim, different dimensions for query, key and value, different shapes, kdim and vdim of Q, K, V, does not "
        "accept different dimensions",
    "r51": "batch_first, batch size, (L, N, E), [s, b, dim], permute, input shape, shape mismatch, is invalid for input of size",
    "r52": "boolean mask, inverted, flipped, polarity, 0 or 1, is True masked, definition of the attention mask, "
        "should the padding mask be inverted before masked_fill",
    "r53": "merge padding and attention mask, mask of each sample, batched, repeat or repeat_interleave, expand, broadcast, "
        "mask for each head separately, without the head axis, (T, S) or (S, T), order of samples and heads, fast path, shape "
        "of attn_mask or attention mask, difference between src_mask and src_key_padding_mask, packed sequences, block-diagonal "
        "mask",
    "r54": "not divisible, divisor of hidden units, multiple of the head number, invalid, odd, shape error, emb_dim, "
        "heads divide the features and not the sequence",
    "r55": "attention dropout, position of dropout, where, not in the paper, weights do not sum to 1, more than 1, different "
        "output with the same input, dropout still on, inference, eval mode, sum of the weights in each row is 1.11",
    "r57": "future tokens, look ahead, wrong mask, upper or lower triangular, tril, data leakage, decoder, language model, "
        "residual around masked attention, ones in the lower triangle for Keras",
    "r58": "separate linear layers, chunks, share weights, to_qkv, divide the last dimension over heads, n_heads ignored, "
        "Linear(d, 3·d), merged or fused linear, batch all heads in parallel, heads that share one small matrix, keep the full "
        "dimension, before or after the projection, one set of Q, K and V, a matrix for each head, inner_dim * 3, narrow "
        "attention, 3 * embed_dim * num_heads, sizes of the weight matrices, multi-head attention, split queries and keys, "
        "batching the heads, batched, block-diagonal weight, full width for each head, BERT cuts "
        "instead of projecting for every head",
    "r59": "automatic mask, mask propagation, implicit padding mask, _keras_mask, mask ignored silently, no mask passed, masking "
        "layer, mask lost, encoder without a mask",
    "r60": "is_causal and attn_mask both set, explicit mask, other lengths, L and S, top left or bottom right, alignment, "
        "decoding with a cache, inconsistent, ambiguity, is_causal changes nothing, hint",
    "r61": "pad tokens, padded positions, does padding matter, contaminate, ignore padding, query padding, position embedding of "
        "padding, zero vectors, variable lengths, maskings, why key and query masking, key masking, what a padding mask or "
        "src_key_padding_mask is for, input sequence with padding, masking in a Transformer, does the key_padding_mask work, "
        "left padding, why a mask in the encoder",
    "r62": "masked value is not masked out, why -10000 and not 0, why -1e9, large negative number, small float, minimum float, "
        "0s and 1s, float mask, multiply by the mask, (1 - mask) * -1e9, setting masked scores to zero, must a mask be 0 and "
        "-inf, values of the mask, additive and not times 0, multiply the padding mask by zeros and ones",
    "r63": "choose, select or determine the number of heads, optimal, hyperparameter, more heads better or worse, performance, "
        "improve, single head, num_heads=1, help, increase the number of heads, effect, do you use several heads, Headnum",
    "r64": "importance of heads, useful or redundant heads, best head, interpret, what each head learns, specialization, "
        "contribution of a head, which heads give the best scores, head_mask, mask heads, switch off a head, head importance, "
        "head_mask makes it no faster",
    "r65": "saving, loading, SavedModel, h5, load_model, restore, checkpoint, weights not loaded, custom layer, from_config, "
        "serialization, exception when a model is loaded",
    "r66": "attention weights are None, output_attentions, memory-efficient attention, fused kernel, online softmax, "
        "approximate, linear memory, why faster, sdpa or eager, return the weights of scaled_dot_product_attention, memory in "
        "the backward pass, recomputation, checkpointing, tensors that dominate the memory, is FlashAttention an approximation",
    "r67": "quadratic, n^2, time complexity, how it scales with sequence length, bottleneck, FLOPs formula of attention, "
        "4·n²·d, number of heads lacks in the formula, 2·2·L·H·Q·T², projections left out in the paper's table, O(n²·d), sparse "
        "attention, does a mask make it faster",
    "r68": "expand, tile, n_rep, num_key_value_groups, without repeat, what repeat_kv is for, order of heads, number of heads in "
        "key and value must divide the heads of Q, GQA without repeat(), Llama 2 without repeat_kv",
    "r70": "attention_axes, which dimension, layer dimensions, channel dimension, 2D input, wrong number of parameters",
    "r71": "no scale in T5, undivided, missing or forgotten, raw attention, initialization, d_kv",
    "r72": "dtype mismatch, attn_mask dtype, float16, autocast, amp, mask.bool(), cast, mismatched key_padding_mask and "
        "attn_mask",
    "r73": "GPT-2 Conv1D or Linear, transposed weights, c_attn, query_key_value, split qkv, layout, checkpoint of another "
        "library, unmatched key names, missing or unexpected keys",
    "r76": "why keys and values differ, same matrix for K and V, why Q, K and V, three different weight matrices, matching and "
        "content, pairs of words, intuition of query, key and value, what are Q, K, V, query key value, where the names come "
        "from, key vector or the word's own embedding, symmetry between Q and K",
    "r77": "why no query cache, earlier queries, only the last token is fed, cached keys stay valid in later layers, prefix, "
        "generation, decoding step, use_cache, past_key_values, cross-attention keys and values once, past_key_value, "
        "concatenated, shape of the attentions that generate returns",
    "r79": "MLA, latent vector, compressed KV, DeepSeek cache, absorb, kv_lora_rank",
    "r80": "sigmoid, ReLU, sparsemax, other activation, normalise scores, linear attention, kernel, without softmax, why softmax",
    "r82": "permute, rotate_half, interleaved, RoPE conversion, Llama weights to Hugging Face",
    "r83": "QK norm, query key normalisation, normalization over head_dim or hidden dimension, RMSNorm of q and k, LayerNorm",
    "r84": "GPT-3 parameters, 175B, share of attention and MLP, 12·d², where the parameters are, distribution",
    "r85": "additive attention, Bahdanau, dot product, Luong, speed",
    "r86": "relative attention bias, T5 position bias, ALiBi slopes, relative position embedding, buckets, first layer only, "
        "slopes of shape nheads, slopes for 40 heads",
    "r87": "interpretability, CLS token, attention sink, importance of tokens, which words, "
        "attend to [CLS] or [SEP], rollout, last layer, first token gets the largest weight",
    "r43": "LoRA on merged qkv, fused qkv, only q and v, enable_lora, why only query and value, separate adapters, one adapter "
        "on a combined projection",
    "r88": "why mask in the decoder, training and inference, look-ahead mask at inference, teacher forcing, predict the next "
        "token, every prefix as an example, separate training examples, mismatch between training and generation, words not "
        "generated yet",
    "r89": "dense layer, fully connected, MLP, wider vector instead of several heads, one attention vector wider, RNN, "
        "recurrent, train faster in parallel",
    "r75": "upcast, fp32, attention in float32, fp16, underflow, FlashAttention",
}  # fmt: skip


def of_questions(wait: float) -> Iterator[Item]:
    """Entries of the questions, found by what is asked and by the answer, for which Keras has `wait` seconds. A statement's
    answer begins with its verdict, and it is found by the article's words and the code that is run, too."""
    for one in QUESTIONS:
        answer, layer = answer_to(one, wait) or Answer(""), _layer_in_words(one.see)
        says = f"{answer.verdict.capitalize()}: {answer.text}" if one.source and answer.text else answer.text
        numbers = " ".join(f"{what} {value}" for what, value in answer.rows)
        if one.source:
            text = f"{one.source.quote} {one.source.article.title} {one.code} {layer}"
        else:
            text = f"{one.theme} {OF_THEME.get(one.theme, '')} {layer} {numbers}"
        kind, where = "claim" if one.source else "question", address("questions", {"question": one.id})
        yield Item(kind, one.asks, where, text, says, ASKED.get(one.id, ""))


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


def every(wait: float = 0.0) -> list[Item]:
    """All entries, from the tables. Runs the answers: some seconds, and up to `wait` for each run of Keras's."""
    sources = (of_pages, of_settings, partial(of_questions, wait), of_steps, of_walk, of_messages, of_programs, of_models)
    return [item for source in sources for item in source()]


@cache
def index() -> Index:
    """The index of all entries that are written down."""
    return Index([Item(*fields) for fields in json.loads(FILE.read_text(encoding="utf-8"))])


def found(query: str, most: int) -> list[Item]:
    """The entries that fit best, best first; layers with just that count or shape, and what a word means, before all others."""
    first = {item.address: item for items in (of_counts, of_shapes, of_terms) for item in items(query)}
    return [*first.values(), *(item for item in index().ranked(query, most) if item.address not in first)][:most] if query else []


if __name__ == "__main__":
    items = [astuple(item) for item in every(wait=300)]
    FILE.write_text(json.dumps(items, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{FILE}: {len(items)} entries\n")
