"""Weights with their config.json."""

import json

import numpy as np
import pytest

from headcount import Config, count_parameters, run
from headcount.files import fit
from headcount.files.contents import open_files
from headcount.files.layers import find_layers
from headcount.files.report import inspect_file, inspect_in_subprocess
from headcount.files.tensors import UnreadableFile
from headcount.switches import Switches
from headcount.variations import with_switches
from tests.layer.files.files import SQUARE, arrays, bert_names, gpt2_names, safetensors

BERT = safetensors(bert_names(SQUARE, arrays(SQUARE), "encoder.layer.0."))
GPT2 = safetensors(gpt2_names(SQUARE, arrays(SQUARE), "h.0.attn."))
SIZES = {"hidden_size": 14, "num_attention_heads": 7, "num_hidden_layers": 1, "intermediate_size": 5}


def config(kind: str, **fields: object) -> bytes:
    return json.dumps({"model_type": kind, **SIZES, **fields}).encode()


def linear(at: str, wide: int = 14, out: str = "o_proj") -> dict[str, np.ndarray]:
    return {f"{at}{name}.weight": np.ones((wide, wide), np.float32) for name in ("q_proj", "k_proj", "v_proj", out)}


def entry(files: dict[str, bytes]):
    return inspect_file(files)[0].entries[0]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_configuration_beside_the_weights_says_how_many_heads_also_to_the_process_of_its_own(mark: bytes):
    files = {"m.safetensors": BERT, "config.json": mark + config("bert")}
    alone, with_config = entry({"m.safetensors": BERT}), entry(files)
    assert (alone.sizes.num_heads, with_config.sizes.num_heads, with_config.why_not) == (None, 7, "")
    assert with_config.sizes.count == alone.sizes.count == count_parameters(SQUARE)
    report, flat = inspect_in_subprocess(files, 0)
    assert report == inspect_file(files)[0], "in a process of its own as well"
    np.testing.assert_array_equal(flat["w_q"], arrays(SQUARE)["w_q"].reshape(14, 14))


def beside(kind: str, fields: dict):
    """A layer of four Linear layers, 14 wide, with a configuration of 7 heads in its family's own field names."""
    spelt = {"gptj": {"n_embd": 14, "n_head": 7, "n_layer": 1}, "gpt_neo": {"num_heads": 7, "num_layers": 1}}
    said = config(kind, **spelt.get(kind, {"num_key_value_heads": 7}), **fields)
    return entry({"m.safetensors": safetensors(linear("layers.0.attn.")), "config.json": said})


@pytest.mark.parametrize(("kind", "fields", "words"), [
    ("llama", {"rope_scaling": {"rope_type": "dynamic", "factor": 8.0}}, ["rope_parameters"]),
    ("gptj", {}, ["model_type: gptj (of each"]),
    ("llama", {"rope_theta": "fast"}, ["rope_theta: "]), ("stablelm", {}, ["model_type: stablelm"]),
    ("falcon", {"alibi": True}, ["alibi: true"]), ("gpt_neo", {}, ["model_type: gpt_neo (scores"]),
    ("granite", {"attention_multiplier": 0.25}, ["attention_multiplier: 0.25"]), ("granite", {}, ["attention_multiplier: 1.0"]),
    ("t5", {"d_kv": 2}, ["model_type: t5"]), ("bert", {"position_embedding_type": "relative_key"}, ["position_embedding_type: "]),
    ("gpt2", {"scale_attn_weights": False}, ["scale_attn_weights: false"]), ("olmo", {"clip_qkv": 8.0}, ["clip_qkv: 8.0"]),
    # families that are not known
    ("something_new", {"rope_theta": 10000.0, "rope_scaling": None, "sliding_window": 0}, ["rope_theta: 10000.0"]),
    ("deberta-v2", {"relative_attention": True, "pos_att_type": ["p2c"], "max_relative_positions": -1, "norm_rel_ebd": "none"},
     ["relative_attention: true", 'pos_att_type: ["p2c"]']),
    ("mpt", {"attn_config": {"alibi": True, "clip_qkv": None}}, ["alibi: true"]),
    ("big_bird", {"attention_type": "block_sparse"}, ["attention_type: "]),
    ("roformer", {"rotary_value": False}, ["rotary_value: "]),
    ("x", {"attn_logit_softcapping": 5.0, "use_sinks": True}, ["attn_logit_softcapping: 5.0", "use_sinks: true"]),
])  # fmt: skip
def test_what_a_configuration_says_and_the_pages_do_not_show_is_named_field_by_field(kind: str, fields: dict, words: list[str]):
    found = beside(kind, fields)
    start = "Its configuration changes attention by "
    assert found.why_not == f"{start}{', '.join('{}' for _ in words)}, which is not drawn here."
    assert all(one.startswith(word) for one, word in zip(found.named, words, strict=True))
    assert found.sizes.count == 4 * 14 * 14


@pytest.mark.parametrize("fields", [
    {}, {"relative_attention": False, "position_embedding_type": "absolute", "window_size": 0, "alibi": None},
    {"num_local_experts": 7, "decoder_sparse_step": 1, "mlp_layer_types": ["sparse"], "final_logit_softcapping": 30.0},
    {"label2id": {"window screen": 904}, "property": 3, "locale": "de", "image_size": 224}, {"attention_type": "original_full"},
])  # fmt: skip
def test_a_family_that_is_not_known_and_changes_nothing_is_plain(fields: dict):
    found = beside("something_new", fields)
    assert (found.why_not, found.sizes.num_heads, found.sizes.said) == ("", 7, False)


def test_fields_of_the_other_tower_say_nothing_of_a_layer():
    said = config("some_pair", text_config={"rope_theta": 1e4}, vision_config={"alibi": False})
    whys = {
        at: entry({"m": safetensors(linear(f"{at}.attn.")), "config.json": said}).why_not
        for at in ("vision_model", "language_model")
    }
    assert [*map(bool, whys.values())] == [False, True]


@pytest.mark.parametrize(("kind", "name", "back"), [
    ("opt", "decoder.layers.0.self_attn.", True), ("bert", "layer.0.attention.", False),
    ("bart", "decoder.layers.0.self_attn.", True), ("bart", "encoder.layers.0.self_attn.", False),
    ("bart", "decoder.layers.0.encoder_attn.", False),
])  # fmt: skip
def test_a_configuration_says_whether_a_layer_looks_back(kind: str, name: str, back: bool):
    sizes = {"d_model": 14} | {f"{side}_{what}": count for side in ("encoder", "decoder") for what, count in (
        ("layers", 1), ("attention_heads", 7))}  # fmt: skip
    found = entry({"m.safetensors": safetensors(linear(name, out="out_proj")), "config.json": config(kind, **sizes)}).sizes
    assert (found.looks_back, found.num_heads, found.said) == (back, 7, True)


@pytest.mark.parametrize(("kind", "fields", "switches", "window"), [
    ("llama", {"rope_theta": 500000.0}, Switches(rotary="halves", rotary_base=500_000.0), None),
    ("llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 3000}}, Switches("halves", rotary_base=3000.0), None),
    ("mistral", {"sliding_window": 5}, Switches("halves"), 5), ("mistral", {"sliding_window": 4096}, Switches("halves"), None),
    ("gptj", {"rotary_dim": 2}, Switches("pairs"), None), ("bloom", {}, Switches(alibi=True), None),
    ("gpt_neox", {"rotary_pct": 1.0, "rotary_emb_base": 7000}, Switches("halves", rotary_base=7000.0), None),
    ("gemma2", {"query_pre_attn_scalar": 2, "sliding_window": 9, "layer_types": ["full_attention"], "head_dim": 2},
     Switches("halves", soft_cap=50.0), None),
    ("modernbert", {"layer_types": ["sliding_attention"], "sparse_pred_ignore_index": -100,
                    "local_attention": 8, "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 11.0}}}, Switches("halves", rotary_base=11.0), 5),
])  # fmt: skip
def test_what_a_configuration_says_and_the_pages_show_is_set(kind: str, fields: dict, switches: Switches, window: int | None):
    found = beside(kind, fields)
    assert (found.why_not, found.sizes.switches, found.sizes.sliding_window) == ("", switches, window)


def test_heads_that_share_a_key_have_the_same_one_and_are_counted_once():
    """4 heads of 6 on 2 key/value heads, 11 wide: heads 1 and 2 have the first key, heads 3 and 4 the second."""
    rng = np.random.default_rng(1)
    shapes = {"q": (24, 11), "k": (12, 11), "v": (12, 11), "o": (11, 24)}
    named = {f"attn.{letter}_proj.weight": rng.standard_normal(shape).astype(np.float32) for letter, shape in shapes.items()}
    sizes = {"hidden_size": 11, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "num_hidden_layers": 1}
    said = json.dumps({"model_type": "olmo", "rope_theta": None, **sizes}).encode()
    report, flat = inspect_file({"m": safetensors(named), "config.json": said}, 0)
    found = report.entries[0]
    assert (found.sizes.num_heads, found.sizes.kv_heads, found.sizes.count) == (4, 2, 2 * 24 * 11 + 2 * 12 * 11)
    keys = fit.params(flat, fit.config(found.sizes, 4)).w_k.values
    for head in range(4):
        np.testing.assert_array_equal(keys[:, head], named["attn.k_proj.weight"][6 * (head // 2) :][:6].T)
    first_two = fit.params(flat, Config(11, 2, 6, 6, use_bias=False)).w_k.values
    np.testing.assert_array_equal(first_two, keys[:, :2])


def test_cross_attention_is_called_so_and_self_attention_comes_first():
    places = ("decoder.layers.0.encoder_attn.", "decoder.layers.0.self_attn.", "encoder.layers.0.self_attn.")
    named = {name: values for at in places for name, values in linear(at, out="out_proj").items()}
    found = inspect_file(safetensors(named))[0].entries
    assert [(f"{one.name}.", one.sizes.cross) for one in found] == [(places[2], False), (places[1], False), (places[0], True)]


def test_without_a_configuration_of_a_known_family_rotation_scale_and_mask_are_open():
    assert not entry({"m.safetensors": safetensors(linear("a."))}).sizes.said
    assert not entry({"m.safetensors": BERT, "config.json": config("something_new")}).sizes.said


def packed_by_heads(heads: int) -> np.ndarray:
    """Rows in GPT-NeoX's order: head, (query, key, value), number."""
    each = [arrays(SQUARE)[f"w_{letter}"].reshape(14, heads, -1) for letter in "qkv"]
    return np.stack(each, 2).reshape(14, 42).T


def test_an_order_of_packing_that_is_not_known_is_a_reason_not_to_show_the_layer():
    out = arrays(SQUARE)["w_o"].reshape(14, 14).T
    named = {"attention.query_key_value.weight": packed_by_heads(7), "attention.dense.weight": out}
    for said in ({}, {"config.json": config("something_new")}):
        found = entry({"m.safetensors": safetensors(named), **said})
        assert found.why_not == "{} holds query, key and value in an order that only the config.json of a known family tells."
        assert found.named == ("attention.query_key_value.weight",)
    layer = find_layers(open_files({"m": safetensors(named), "config.json": config("gpt_neox")}))[0][0]
    flat = layer.numbers()
    for letter in "qkv":
        np.testing.assert_array_equal(flat[f"w_{letter}"], arrays(SQUARE)[f"w_{letter}"].reshape(14, 14))


def test_phi_3_with_shared_keys_is_shown():
    shapes = {"self_attn.qkv_proj.weight": (14 + 2 * 2, 14), "self_attn.o_proj.weight": (14, 14)}
    data = safetensors({name: np.ones(shape, np.float32) for name, shape in shapes.items()})
    alone, with_config = entry({"m": data}), entry({"m": data, "config.json": config("phi3", num_key_value_heads=1)})
    assert (alone.sizes.count, with_config.sizes.count) == (448, 448)
    assert (alone.why_not != "", with_config.why_not, with_config.sizes.shared) == (True, "", 7)


GOOD = {"m.safetensors": BERT}
#: What is wrong with a config.json beside good weights, and words of the line that says so.
UNUSED = {
    "no JSON": (b"{]", "not JSON"), "a list": (b"[1]", "one JSON object"), "deep": (b'{"a":' * 90_000, "not JSON"),
    "a key twice": (b'{"model_type": "bert", "model_type": "bert"}', "twice"),
    "a number of thousands of digits": (b'{"hidden_size": ' + b"9" * 9000 + b"}", "not JSON"),
    "heads as text": (config("bert", num_attention_heads="12"), "whole number"),
    "heads by stage": (config("swin", num_attention_heads=[2, 4]), "whole number from 1 to 4,096, found [2, 4]"),
    "heads of zero": (config("bert", num_attention_heads=0), "from 1"),
    "heads that do not divide": (config("bert", num_attention_heads=5), "not divide"),
    "another model": (config("bert", hidden_size=28), "another model: d_model = 28"),
    "another model of no known family": (config("x", hidden_size=28, alibi=True), "another model: d_model = 28"),
    "a text model that is none": (config("llava", text_config=7), "text_config"),
    "of diffusers": (b'{"_class_name": "UNet2DConditionModel"}', "no model of transformers"),
    "a name that is a template": (config("bert", hidden_act="{0.__class__}", num_attention_heads="{0}"), "whole number"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNUSED)
def test_a_configuration_that_cannot_be_used_leaves_the_weights_as_they_are_and_one_line_says_why(what: str):
    text, words = UNUSED[what]
    (alone, flat), (report, same) = inspect_file(GOOD, 0), inspect_file({**GOOD, "config.json": text}, 0)
    assert (report.entries, report.unknown, flat.keys()) == (alone.entries, alone.unknown, same.keys())
    said = report.unused[0].format(*report.unused[1:])
    assert words in said
    assert said.endswith(".")
    assert 10 < len(said) < 200
    assert not alone.unused


def test_the_json_files_of_a_models_folder_beside_its_configuration_are_left_alone_and_of_two_configurations_none_is_taken():
    folder = GOOD | {
        "generation_config.json": b'{"eos_token_id": 2}',
        "index.json": b'{"weight_map": {"a": "../../../etc/passwd"}}',
    }
    report, _ = inspect_in_subprocess(folder | {"config.json": config("bert")})
    assert (report.entries[0].sizes.num_heads, report.unused) == (7, ())
    report, _ = inspect_in_subprocess(folder | {"config.json": config("bert"), "other.json": config("bert")})
    assert (report.entries[0].sizes.num_heads, report.unused) == (None, ("two are there; weights have one.",))


#: What is no file of weights with its configuration, and words of the sentence.
BAD = {
    "a configuration alone": ({"config.json": config("bert")}, "A config.json alone has no weights"),
    "two files of weights": ({"a.safetensors": BERT, "b.safetensors": GPT2}, "2 files of weights are there; one is read"),
    "a pickle with a configuration": ({"config.json": config("bert"), "m.npz": b"\x80\x04K\x01."}, "A pickle can run code"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_is_not_one_file_of_weights_is_refused_in_a_sentence(what: str):
    files, words = BAD[what]
    with pytest.raises(UnreadableFile, match=words):
        inspect_file(files, 0)


def normed(**fields: object) -> dict[str, bytes]:
    """A layer like Qwen3's: two heads of 4 share a key, and the weights of its norms are not 1."""
    rng = np.random.default_rng(6)
    shapes = {"q_proj": (8, 14), "k_proj": (4, 14), "v_proj": (4, 14), "o_proj": (14, 8), "q_norm": (4,), "k_norm": (4,)}
    drawn = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    weights = {f"layers.0.self_attn.{name}.weight": values for name, values in drawn.items()}
    settings = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, **fields}
    return {"m.safetensors": safetensors(weights), "config.json": config("qwen3", **settings)}


def test_norms_of_queries_and_keys_are_the_files_own_where_they_are_switched_on():
    found, flat = inspect_file(normed(), 0)
    sizes = found.entries[0].sizes
    assert (found.entries[0].why_not, sizes.switches.qk_norm, sizes.count) == ("", "rms", 14 * 24 + 8)
    plain = Config(14, 2, 4, 4, query_len=3, key_len=3, use_bias=False)
    trace = with_switches(run(plain, params=fit.params(flat, plain)), sizes.switches)
    np.testing.assert_array_equal(trace.params.n_q.values, flat["n_q"])
    q = trace.q.values
    by_hand = q / np.sqrt((q**2).mean(-1, keepdims=True) + 1e-6) * flat["n_q"]
    np.testing.assert_allclose(trace.q_normed.values, by_hand, atol=1e-6)


@pytest.mark.parametrize(("fields", "words"), [
    ({"rms_norm_eps": 1e-3}, "rms_norm_eps: 0.001"),
    ({"model_type": "gemma3_text"}, "(the gains of its norms are 1 + γ)")])  # fmt: skip
def test_norms_of_another_kind_are_named_and_not_drawn(fields: dict, words: str):
    found = entry(normed(**fields))
    assert found.why_not == "Its configuration changes attention by {}, which is not drawn here."
    assert words in found.named[0]
    assert found.sizes.count == 14 * 24 + 8


#: What lies beside the kernels, and how many numbers.
BESIDE = (
    ("q_norm.weight", 7), ("k_norm.weight", 7), ("q_layernorm.bias", 7), ("sinks", 2), ("g_proj.weight", 28), ("gate.weight", 28),
    ("relative_attention_bias.weight", 64), ("relative_position_bias_table", 26), ("logit_scale", 2), ("bias_k", 14),
    ("q_proj.lora_A.weight", 42), ("o_proj.weight_scale", 14), ("q_norm.norm.weight", 7),
)  # fmt: skip


@pytest.mark.parametrize(("name", "size"), BESIDE)
@pytest.mark.parametrize("at", ["", "model.layers.0.self_attn."])
def test_what_changes_a_layer_and_is_not_drawn_is_counted_named_and_refused(name: str, size: int, at: str):
    report, _ = inspect_file(safetensors({**linear(at), f"{at}{name}": np.ones(size, np.float32)}))
    (entry,) = report.entries
    assert entry.sizes.count == 4 * 14 * 14 + size
    assert entry.why_not.startswith("It has arrays that are counted and not drawn here: ")
    assert f"{name} ({size})" in entry.why_not.format(*entry.named)
    assert report.others == 0


#: Names that look like parts of an attention layer and are none, beside one: "where" of the layer, the array.
APART = (
    ("model.layers.0.self_attn.", "model.layers.0.mlp.gate_proj.weight"), ("h.0.attn.", "h.0.attn.bias"),
    ("h.0.attn.", "h.0.attn.masked_bias"), ("layer.0.attention.self.", "layer.0.attention.output.LayerNorm.weight"),
    ("layers.0.self_attn.", "layers.0.self_attn.rotary_emb.inv_freq"), ("layers.0.self_attn.", "layers.0.norm.weight"),
    ("layers.0.self_attn.", "layers.1.self_attn.q_norm.weight"), ("", "norm.weight"), ("", "ln.bias"), ("", "lm_head.weight"),
    ("layers.0.self_attn.", "layers.0.self_attn._dropout_layer.seed_generator.vars.0"),
)  # fmt: skip


@pytest.mark.parametrize(("at", "name"), APART)
def test_what_belongs_to_no_attention_layer_is_named_apart(at: str, name: str):
    report, flat = inspect_file(safetensors({**linear(at), name: np.ones((5, 7), np.float32)}), 0)
    assert (report.entries[0].why_not, report.unknown, len(flat)) == ("", ((name, 35),), 4)
