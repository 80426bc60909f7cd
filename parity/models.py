"""Random sizes for the families of transformers that the reader of shared fields is tried on."""

import importlib
import inspect
import random

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

#: Class for each `model_type` that the reader knows: the one whose parameters the app counts, or the bare model.
CLASSES = {
    "bert": "BertModel", "roberta": "RobertaModel", "xlm-roberta": "XLMRobertaModel", "camembert": "CamembertModel",
    "electra": "ElectraModel", "distilbert": "DistilBertModel", "albert": "AlbertModel", "modernbert": "ModernBertForMaskedLM",
    "vit": "ViTForImageClassification", "deit": "DeiTModel", "dinov2": "Dinov2Model", "gpt2": "GPT2LMHeadModel",
    "gpt_bigcode": "GPTBigCodeForCausalLM", "gpt_neox": "GPTNeoXForCausalLM", "gptj": "GPTJForCausalLM",
    "opt": "OPTForCausalLM", "bloom": "BloomForCausalLM", "falcon": "FalconForCausalLM", "llama": "LlamaForCausalLM",
    "mistral": "MistralForCausalLM", "mixtral": "MixtralForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM", "phi": "PhiForCausalLM", "phi3": "Phi3ForCausalLM", "olmo": "OlmoForCausalLM",
    "olmo2": "Olmo2ForCausalLM", "granite": "GraniteForCausalLM", "cohere": "CohereForCausalLM",
    "stablelm": "StableLmForCausalLM", "starcoder2": "Starcoder2ForCausalLM", "gemma": "GemmaForCausalLM",
    "gemma2": "Gemma2ForCausalLM", "gemma3_text": "Gemma3ForCausalLM", "gpt_oss": "GptOssForCausalLM",
    "t5": "T5ForConditionalGeneration", "mt5": "MT5ForConditionalGeneration", "umt5": "UMT5ForConditionalGeneration",
    "whisper": "WhisperForConditionalGeneration", "bart": "BartForConditionalGeneration",
    "mbart": "MBartForConditionalGeneration", "pegasus": "PegasusForConditionalGeneration", "marian": "MarianMTModel",
    "blenderbot": "BlenderbotForConditionalGeneration", "deepseek_v2": "DeepseekV2ForCausalLM",
    "deepseek_v3": "DeepseekV3ForCausalLM", "qwen2_moe": "Qwen2MoeForCausalLM", "clip_text_model": "CLIPTextModel",
    "clip_vision_model": "CLIPVisionModel", "siglip_vision_model": "SiglipVisionModel", "qwen2_vl_text": "Qwen2VLTextModel",
    "qwen2_5_vl_text": "Qwen2_5_VLTextModel", "clip": "CLIPModel", "llava": "LlavaForConditionalGeneration",
    "gemma3": "Gemma3ForConditionalGeneration",
}  # fmt: skip
VOCABULARY = 101


def _heads(draw: random.Random) -> tuple[int, int, int]:
    """d_model, heads and key/value heads: key/value heads divide heads, heads divide d_model, heads are of even size."""
    kv, groups, half = draw.choice((1, 2, 3)), draw.choice((1, 2, 3, 5)), draw.choice((2, 3, 4, 7))
    return 2 * half * kv * groups, kv * groups, kv


def _decoder(draw: random.Random, **more: object) -> dict:
    d, heads, kv = _heads(draw)
    return {
        "hidden_size": d, "num_attention_heads": heads, "num_key_value_heads": kv, "num_hidden_layers": draw.randint(1, 3),
        "intermediate_size": draw.choice((17, 23, 31)), "vocab_size": VOCABULARY, **more,
    }  # fmt: skip


def _own(draw: random.Random, **more: object) -> dict:
    """A head size of its own, in half of the cases."""
    return _decoder(draw, **more) | ({"head_dim": draw.choice((6, 10, 14))} if draw.random() < 0.7 else {})


def _encoder(draw: random.Random, **more: object) -> dict:
    d, heads, _ = _heads(draw)
    return {
        "hidden_size": d, "num_attention_heads": heads, "num_hidden_layers": draw.randint(1, 3),
        "intermediate_size": draw.choice((17, 23, 31)), "vocab_size": VOCABULARY, "max_position_embeddings": 37,
        "type_vocab_size": draw.choice((1, 2, 3)), **more,
    }  # fmt: skip


def _spelt(draw: random.Random, d_model: str, heads: str, layers: str, **more: object) -> dict:
    """Three sizes by the family's own names for them."""
    d, h, _ = _heads(draw)
    return {d_model: d, heads: h, layers: draw.randint(1, 3), "vocab_size": VOCABULARY, **more}


def _gpt(draw: random.Random, **more: object) -> dict:
    return _spelt(draw, "n_embd", "n_head", "n_layer", n_positions=41, **more)


def _picture(draw: random.Random, **more: object) -> dict:
    sizes = _encoder(draw, image_size=24, patch_size=draw.choice((4, 8)), num_channels=draw.choice((1, 3)), **more)
    return {key: value for key, value in sizes.items() if key not in ("vocab_size", "type_vocab_size", "max_position_embeddings")}


def _stacks(draw: random.Random, **more: object) -> dict:
    d, heads, _ = _heads(draw)
    return {
        "d_model": d, "encoder_layers": draw.randint(1, 3), "decoder_layers": draw.randint(1, 3), "vocab_size": VOCABULARY,
        "encoder_attention_heads": heads, "decoder_attention_heads": heads, "encoder_ffn_dim": 19, "decoder_ffn_dim": 29,
        "decoder_start_token_id": 1, "eos_token_id": 2, **more,
    }  # fmt: skip


def _t5(draw: random.Random) -> dict:
    return {
        "d_model": draw.choice((26, 38)), "num_heads": draw.choice((2, 3, 5)), "d_kv": draw.choice((6, 7, 11)), "d_ff": 31,
        "num_layers": draw.randint(1, 3), "num_decoder_layers": draw.randint(1, 3), "vocab_size": VOCABULARY,
        "feed_forward_proj": draw.choice(("relu", "gated-gelu")), "relative_attention_num_buckets": draw.choice((8, 13)),
    }  # fmt: skip


def _latent(draw: random.Random) -> dict:
    heads = draw.choice((2, 3, 5))
    return {
        "hidden_size": 14 * heads, "num_attention_heads": heads, "num_key_value_heads": heads, "num_hidden_layers": 3,
        "intermediate_size": 31, "moe_intermediate_size": 13, "vocab_size": VOCABULARY, "n_routed_experts": 8,
        "n_shared_experts": draw.choice((1, 2)), "num_experts_per_tok": 2, "first_k_dense_replace": draw.choice((0, 1, 2)),
        "q_lora_rank": draw.choice((None, 17)), "kv_lora_rank": draw.choice((11, 19)), "qk_nope_head_dim": draw.choice((6, 10)),
        "qk_rope_head_dim": 4, "v_head_dim": draw.choice((5, 9)), "n_group": 1, "topk_group": 1,
        "attention_bias": draw.random() < 0.5,
    }  # fmt: skip


def _falcon(draw: random.Random) -> dict:
    sizes = _decoder(draw)
    kv = sizes.pop("num_key_value_heads")
    del sizes["intermediate_size"]
    new = draw.random() < 0.5
    return sizes | {
        "new_decoder_architecture": new, "num_kv_heads": kv, "multi_query": draw.random() < 0.5, "bias": draw.random() < 0.5,
        "parallel_attn": draw.random() < 0.5, "alibi": False,
    }  # fmt: skip


def variation(kind: str, seed: int) -> dict:
    """One configuration of a family; the same for the same seed."""
    draw = random.Random(f"{kind} {seed}")
    flip = draw.random() < 0.5
    sizes = {
        "albert": lambda: _encoder(draw, embedding_size=11, num_hidden_groups=1),
        "distilbert": lambda: _spelt(draw, "dim", "n_heads", "n_layers", hidden_dim=19),
        "modernbert": lambda: _encoder(draw, attention_bias=flip),
        "vit": lambda: _picture(draw, qkv_bias=flip, num_labels=7), "deit": lambda: _picture(draw, qkv_bias=flip),
        "dinov2": lambda: _picture(draw, qkv_bias=flip),
        "gpt2": lambda: _gpt(draw, n_inner=draw.choice((None, 17))),
        "gpt_bigcode": lambda: _gpt(draw, multi_query=flip),
        "gptj": lambda: _gpt(draw, rotary_dim=4), "bloom": lambda: _spelt(draw, "hidden_size", "n_head", "n_layer"),
        "gpt_neox": lambda: _encoder(draw, attention_bias=flip),
        "opt": lambda: _opt(draw, flip),
        "falcon": lambda: _falcon(draw),
        "mixtral": lambda: _own(draw, num_local_experts=3, num_experts_per_tok=2),
        "qwen2": lambda: _decoder(draw), "stablelm": lambda: _decoder(draw, use_qkv_bias=flip),
        "qwen3_moe": lambda: _own(draw, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=13, attention_bias=flip),
        "gpt_oss": lambda: _own(draw, num_local_experts=3, num_experts_per_tok=2, attention_bias=flip),
        "starcoder2": lambda: _own(draw, use_bias=flip), "phi": lambda: _decoder(draw), "phi3": lambda: _decoder(draw),
        "t5": lambda: _t5(draw), "mt5": lambda: _t5(draw), "umt5": lambda: _t5(draw),
        "whisper": lambda: _stacks(draw, num_mel_bins=13, max_source_positions=21, max_target_positions=15),
        **dict.fromkeys(("bart", "mbart", "pegasus", "marian", "blenderbot"), lambda: _stacks(draw)),
        **dict.fromkeys(("deepseek_v2", "deepseek_v3"), lambda: _latent(draw)),
        **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert", "electra"), lambda: _encoder(draw)),
        **dict.fromkeys(("mistral",), lambda: _own(draw)),
        "qwen2_moe": lambda: _experts(draw),
        "clip_text_model": lambda: _encoder(draw), "clip_vision_model": lambda: _picture(draw),
        "siglip_vision_model": lambda: _picture(draw, vision_use_head=flip),
        "qwen2_vl_text": lambda: _decoder(draw), "qwen2_5_vl_text": lambda: _decoder(draw),
        "clip": lambda: _around(seed, "clip_text_model", "clip_vision_model", projection_dim=13),
        "llava": lambda: _around(seed, "llama", "clip_vision_model"),
        "gemma3": lambda: _around(seed, "gemma3_text", "siglip_vision_model", mm_tokens_per_image=9),
    }.get(kind, lambda: _own(draw, attention_bias=flip))()  # fmt: skip
    return {"model_type": kind, **sizes}


def _experts(draw: random.Random) -> dict:
    """Three layers or more, so that a step between those with experts is seen."""
    return _decoder(draw, num_experts=5, moe_intermediate_size=13, shared_expert_intermediate_size=11) | {"num_hidden_layers": 5}


def _around(seed: int, text: str, vision: str, **more: object) -> dict:
    return {"text_config": variation(text, seed), "vision_config": variation(vision, seed), **more}


def _opt(draw: random.Random, bias: bool) -> dict:
    sizes = _spelt(draw, "hidden_size", "num_attention_heads", "num_hidden_layers", ffn_dim=19, enable_bias=bias)
    return sizes | {"word_embed_proj_dim": sizes["hidden_size"]}


def sources(kind: str) -> str:
    """The text of the modules with the configuration class and its models."""
    config = next(one for one in CONFIG_MAPPING.values() if one.model_type == kind)
    modules = {base.__module__ for base in config.__mro__ if "configuration_" in base.__module__ and "models" in base.__module__}
    names = {name for module in modules for name in (module, module.replace("configuration_", "modeling_"))}
    return "\n".join(inspect.getsource(importlib.import_module(name)) for name in sorted(names))
