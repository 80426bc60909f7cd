"""Tests changes of attention in published models against transformers' own classes, with the same numbers in float64."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import pytest
import torch
import transformers
from transformers.models.bloom import modeling_bloom as bloom
from transformers.models.gemma2 import modeling_gemma2 as gemma2
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gpt_oss import modeling_gpt_oss as gpt_oss
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.olmo2 import modeling_olmo2 as olmo2
from transformers.models.persimmon import modeling_persimmon as persimmon
from transformers.models.qwen3 import modeling_qwen3 as qwen3
from transformers.models.t5 import modeling_t5 as t5

from headcount.arrays import Array
from headcount.config import Config
from headcount.forward import Trace, run_ops
from headcount.ledger import count_parameters
from headcount.models.conventions import CHANGED
from headcount.numpy_backend import OPS
from headcount.params import Params, make_inputs, make_params
from headcount.switches import Switches
from headcount.variations import with_divisor
from parity.models import sources

#: How many random configurations each of the ten classes is tested with.
VARIATIONS = 20
NEAR = {"atol": 1e-6, "rtol": 0}
ROPE = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0}
Fields = Callable[[Config], dict[str, object]]
#: The output and the attention weights that a class returns.
Loaded = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Drawn:
    """A random layer in float64: our parameters, X and trace. Methods return the tensors that a class loads."""

    cfg: Config
    params: Params
    x: torch.Tensor
    trace: Trace

    def kernel(self, name: str) -> torch.Tensor:
        """Returns a weight matrix as Linear.weight stores it: W_Q, W_K and W_V as (h·size, d_model), W_O as (d_model, h·d_v)."""
        values = getattr(self.params, name).values
        flat = values.reshape(-1, self.cfg.d_model) if name == "w_o" else values.reshape(self.cfg.d_model, -1)
        return torch.from_numpy(flat.T.copy())

    def vector(self, name: str) -> torch.Tensor:
        return torch.from_numpy(getattr(self.params, name).values.reshape(-1).copy())

    def linear(self, letter: str, module: str) -> dict[str, torch.Tensor]:
        """Returns the weight and bias of one projection under the names of a class's module."""
        bias = {f"{module}.bias": self.vector(f"b_{letter}")} if self.cfg.use_bias else {}
        return {f"{module}.weight": self.kernel(f"w_{letter}"), **bias}

    @property
    def causal(self) -> torch.Tensor:
        """The causal mask that a class adds to the scores: 0, or minus infinity where a query may not look."""
        t = self.cfg.query_len
        return torch.full((t, t), float("-inf"), dtype=torch.float64).triu(1)[None, None]

    @property
    def positions(self) -> torch.Tensor:
        return torch.arange(self.cfg.query_len)[None]


def drawn(seed: int, *, bias: bool, divisor: str = "sqrt_d_k", tied: bool = False, **switches: object) -> Drawn:
    """Draws a random layer with these switches. If `tied`, all heads together are d_model wide."""
    pick = random.Random(seed)
    heads, key_dim = pick.choice([1, 2, 3, 4, 5, 8]), pick.choice([2, 4, 6, 8, 16])
    d_model = heads * (key_dim if tied else pick.choice([2, 3, 5, 7]))  # some classes ask for a multiple of the heads
    cfg = Config(d_model, heads, key_dim, query_len=pick.choice([1, 3, 5, 7, 11]), mask="causal", use_bias=bias, seed=seed,
                 batch=pick.choice([1, 2, 3]), **switches)  # fmt: skip
    params, inputs = (as_float64(made) for made in (make_params(cfg), make_inputs(cfg)))
    trace = with_divisor(run_ops(cfg, params, inputs, OPS), divisor)
    return Drawn(cfg, params, torch.from_numpy(inputs.x_query.values), trace)


def as_float64(held):
    arrays = {name: getattr(held, name) for name in held.__dataclass_fields__}
    return type(held)(**{name: a and Array(a.values.astype(np.float64), a.axes) for name, a in arrays.items()})


def sizes(one: Drawn, **more: object) -> dict[str, object]:
    cfg = one.cfg
    return {
        "hidden_size": cfg.d_model, "num_attention_heads": cfg.num_heads, "num_key_value_heads": cfg.num_heads,
        "head_dim": cfg.key_dim, "num_hidden_layers": 1, "intermediate_size": 4, "vocab_size": 5,
        "max_position_embeddings": 32, "attn_implementation": "eager", "attention_dropout": 0.0, **more,
    }  # fmt: skip


def filled(one: Drawn, module: torch.nn.Module, held: dict[str, torch.Tensor]) -> torch.nn.Module:
    """Loads our numbers into a module in float64, and checks that it has no other parameters."""
    module = module.double().eval()
    module.load_state_dict(held)
    assert sum(p.numel() for p in module.parameters()) == count_parameters(one.cfg)
    return module


def four(one: Drawn, output: str = "o_proj") -> dict[str, torch.Tensor]:
    held = {}
    for letter, module in (("q", "q_proj"), ("k", "k_proj"), ("v", "v_proj"), ("o", output)):
        held |= one.linear(letter, module)
    norms = {"n_q": "q_norm.weight", "n_k": "k_norm.weight", "wide_q": "q_norm.weight", "wide_k": "k_norm.weight"}
    others = {ours: theirs for ours, theirs in {**norms, "sinks": "sinks"}.items() if getattr(one.params, ours) is not None}
    return held | {theirs: one.vector(ours) for ours, theirs in others.items()}


def fused(one: Drawn) -> dict[str, torch.Tensor]:
    """Returns W_Q, W_K and W_V as one Linear whose rows are ordered head by head, and W_O."""
    heads, width = one.cfg.num_heads, one.cfg.d_model
    weights = torch.cat([one.kernel(f"w_{x}").reshape(heads, -1, width) for x in "qkv"], 1).reshape(-1, width)
    biases = torch.cat([one.vector(f"b_{x}").reshape(heads, -1) for x in "qkv"], 1).reshape(-1)
    return {"query_key_value.weight": weights, "query_key_value.bias": biases, **one.linear("o", "dense")}


def rotary(one: Drawn, family: type, config: object) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns cos and sin of the rotary angles in float64. The class computes them in float32, and both are compared here."""
    half = one.cfg.key_dim // 2
    turn = one.positions[..., None] * 10000.0 ** (-torch.arange(half, dtype=torch.float64) * 2 / one.cfg.key_dim)
    cos, _ = family(config)(one.x.float(), one.positions)
    wide = torch.cat((turn, turn), -1) if cos.shape[-1] == one.cfg.key_dim else turn
    np.testing.assert_allclose(cos, wide.cos(), atol=1e-5)  # the class's own angles are ours, as far as float32 goes
    return wide.cos(), wide.sin()


def like_llama(seed: int, module: ModuleType, name: str, fields: Fields = lambda cfg: {}, **switches) -> tuple[Drawn, Loaded]:
    """Runs an attention class that is built and called like Llama's. `fields` returns further fields of its configuration."""
    one = drawn(seed, bias=bool(seed % 2), rotary="halves", **switches)
    config = getattr(transformers, f"{name}Config")(**sizes(one, attention_bias=one.cfg.use_bias, **fields(one.cfg)))
    layer = filled(one, getattr(module, f"{name}Attention")(config, layer_idx=0), four(one))
    turn = rotary(one, getattr(module, f"{name}RotaryEmbedding"), config)
    return one, layer(one.x, position_embeddings=turn, attention_mask=one.causal)[:2]


def by_gpt_neox(seed: int) -> tuple[Drawn, Loaded]:
    one = drawn(seed, bias=True, tied=True, rotary="halves")
    config = transformers.GPTNeoXConfig(**sizes(one, rope_parameters=ROPE))
    layer = filled(one, gpt_neox.GPTNeoXAttention(config, layer_idx=0), fused(one))
    turn = rotary(one, gpt_neox.GPTNeoXRotaryEmbedding, config)
    return one, layer(one.x, attention_mask=one.causal, position_embeddings=turn)[:2]


def by_gptj(seed: int) -> tuple[Drawn, Loaded]:
    one = drawn(seed, bias=False, tied=True, rotary="pairs")
    config = transformers.GPTJConfig(
        n_embd=one.cfg.d_model, n_head=one.cfg.num_heads, rotary_dim=one.cfg.key_dim, n_positions=32, attn_implementation="eager",
    )  # fmt: skip
    layer = filled(one, gptj.GPTJAttention(config, layer_idx=0), four(one, "out_proj"))
    turn = torch.arange(32, dtype=torch.float64)[:, None] * 10000.0 ** (
        -torch.arange(0, one.cfg.key_dim, 2, dtype=torch.float64) / one.cfg.key_dim
    )
    table = torch.cat((turn.sin(), turn.cos()), 1)
    np.testing.assert_allclose(layer.embed_positions, table, atol=1e-5)  # its own, in float32
    layer.embed_positions = table
    return one, layer(one.x, attention_mask=one.causal, position_ids=one.positions.expand(len(one.x), -1))[:2]


def by_bloom(seed: int) -> tuple[Drawn, Loaded]:
    one = drawn(seed, bias=True, tied=True, alibi=True)
    cfg = one.cfg
    config = transformers.BloomConfig(hidden_size=cfg.d_model, n_head=cfg.num_heads, hidden_dropout=0.0, attention_dropout=0.0)
    layer = filled(one, bloom.BloomAttention(config, layer_idx=0), fused(one))
    everywhere = torch.ones(cfg.batch, cfg.query_len, dtype=torch.int64)
    alibi = bloom.build_alibi_tensor(everywhere, cfg.num_heads, torch.float64)
    found = layer(one.x, torch.zeros_like(one.x), alibi=alibi, attention_mask=one.causal, output_attentions=True)
    return one, (found[0], found[-1])


def by_gemma2(seed: int) -> tuple[Drawn, Loaded]:
    def fields(cfg: Config) -> dict[str, object]:
        return {"attn_logit_softcapping": cfg.soft_cap, "query_pre_attn_scalar": cfg.key_dim, "layer_types": ["full_attention"]}

    return like_llama(seed, gemma2, "Gemma2", fields, soft_cap=random.Random(seed).choice([0.5, 2.0, 50.0]))


def by_persimmon(seed: int) -> tuple[Drawn, Loaded]:
    one = drawn(seed, bias=True, tied=True, rotary="halves", qk_norm="layer")
    config = transformers.PersimmonConfig(**sizes(one, qk_layernorm=True, layer_norm_eps=1e-6, rope_parameters=ROPE))
    norms = {f"{letter}_layernorm.{kind}": one.vector(f"{ours}_{letter}")
             for letter in "qk" for kind, ours in (("weight", "n"), ("bias", "m"))}  # fmt: skip
    layer = filled(one, persimmon.PersimmonAttention(config, layer_idx=0), fused(one) | norms)
    layer.q_layernorm.eps = layer.k_layernorm.eps = 1e-6
    turn = rotary(one, persimmon.PersimmonRotaryEmbedding, config)
    return one, layer(one.x, attention_mask=one.causal, position_embeddings=turn)[:2]


def by_t5(seed: int) -> tuple[Drawn, Loaded]:
    one = drawn(seed, bias=False, divisor="none")
    config = transformers.T5Config(
        d_model=one.cfg.d_model, d_kv=one.cfg.key_dim, num_heads=one.cfg.num_heads, dropout_rate=0.0, is_decoder=False,
    )  # fmt: skip
    held = {f"{letter}.weight": one.kernel(f"w_{letter}") for letter in "qkvo"}
    layer = filled(one, t5.T5Attention(config, has_relative_attention_bias=False), held)
    output, *_, weights = layer(one.x, mask=one.causal, output_attentions=True)
    return one, (output, weights)


NORMED: Fields = lambda cfg: {"rms_norm_eps": 1e-6}  # noqa: E731
OF_GPT_OSS = {"layer_types": ["full_attention"], "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
CLASSES: dict[str, Callable[[int], tuple[Drawn, Loaded]]] = {
    "Llama": lambda seed: like_llama(seed, llama, "Llama"),
    "GPT-NeoX": by_gpt_neox, "GPT-J": by_gptj, "BLOOM": by_bloom, "Gemma 2": by_gemma2,
    "Qwen3": lambda seed: like_llama(seed, qwen3, "Qwen3", NORMED, qk_norm="rms"),
    "OLMo 2": lambda seed: like_llama(seed, olmo2, "Olmo2", NORMED, tied=True, qk_norm="rms_wide"),
    "Persimmon": by_persimmon,
    "gpt-oss": lambda seed: like_llama(seed, gpt_oss, "GptOss", lambda cfg: OF_GPT_OSS, sinks=True),
    "T5": by_t5,
}  # fmt: skip


@pytest.mark.parametrize("seed", range(VARIATIONS))
@pytest.mark.parametrize("name", CLASSES)
def test_our_steps_are_those_of_the_real_class(name: str, seed: int):
    one, real = CLASSES[name](seed)
    for array, there in zip(("output", "weights"), real, strict=True):
        np.testing.assert_allclose(one.trace[array].values, there.detach().numpy(), err_msg=array, **NEAR)


#: The code that rotates, for families that do not call it rotate_half or rotate_every_two.
TURNS = {"gpt_oss": "torch.chunk(x, 2, dim=-1)", "cohere": "x[..., ::2]"}


@pytest.mark.parametrize("kind", sorted(CHANGED))
def test_a_family_has_in_its_code_what_the_published_models_say_of_it(kind: str):
    """The source code of a family must contain the words that rotate, normalise and cap."""
    code, said = sources(kind), CHANGED[kind]
    words = {
        "rotary": TURNS.get(kind, "def rotate_half" if said.rotary == "halves" else "def rotate_every_two"), "alibi": "alibi",
        "qk_norm": "q_norm", "soft_cap": "attn_logit_softcapping", "sinks": "self.sinks",
    }  # fmt: skip
    for field, word in words.items():
        if getattr(said, field) != getattr(Switches(), field):
            assert word in code, (kind, field)
    assert ("attn_logit_softcapping" in code) == bool(said.soft_cap) or kind == "gemma3_text", kind  # off there
    assert ("self.sinks" in code) == said.sinks
