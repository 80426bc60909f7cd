"""Real classes of transformers on the `meta` device (shapes without memory), and what their attention holds."""

import torch
import transformers

#: Class for each `model_type` that the reader knows: the one whose parameters the app counts, or the bare model.
CLASSES = {
    "bert": "BertModel", "roberta": "RobertaModel", "xlm-roberta": "XLMRobertaModel", "camembert": "CamembertModel",
    "deberta-v2": "DebertaV2Model", "electra": "ElectraModel", "distilbert": "DistilBertModel", "albert": "AlbertModel",
    "modernbert": "ModernBertForMaskedLM", "vit": "ViTForImageClassification", "deit": "DeiTModel", "dinov2": "Dinov2Model",
    "gpt2": "GPT2LMHeadModel", "gpt_bigcode": "GPTBigCodeForCausalLM", "gpt_neox": "GPTNeoXForCausalLM",
    "gpt_neo": "GPTNeoForCausalLM", "gptj": "GPTJForCausalLM", "opt": "OPTForCausalLM", "bloom": "BloomForCausalLM",
    "falcon": "FalconForCausalLM", "llama": "LlamaForCausalLM", "mistral": "MistralForCausalLM",
    "mixtral": "MixtralForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM", "phi": "PhiForCausalLM", "phi3": "Phi3ForCausalLM", "olmo": "OlmoForCausalLM",
    "olmo2": "Olmo2ForCausalLM", "granite": "GraniteForCausalLM", "cohere": "CohereForCausalLM",
    "stablelm": "StableLmForCausalLM", "starcoder2": "Starcoder2ForCausalLM", "gemma": "GemmaForCausalLM",
    "gemma2": "Gemma2ForCausalLM", "gemma3_text": "Gemma3ForCausalLM", "gpt_oss": "GptOssForCausalLM",
    "t5": "T5ForConditionalGeneration", "mt5": "MT5ForConditionalGeneration", "umt5": "UMT5ForConditionalGeneration",
    "whisper": "WhisperForConditionalGeneration", "bart": "BartForConditionalGeneration",
    "mbart": "MBartForConditionalGeneration", "pegasus": "PegasusForConditionalGeneration", "marian": "MarianMTModel",
    "blenderbot": "BlenderbotForConditionalGeneration", "deepseek_v2": "DeepseekV2ForCausalLM",
    "deepseek_v3": "DeepseekV3ForCausalLM",
}  # fmt: skip
#: Of no projection: norms, tables of relative positions, sinks.
APART = ("norm", "relative_attention_bias", "sinks", "rel_embeddings", "rotary")


def build(config: dict, named: str | None = None) -> torch.nn.Module:
    """The real model of a configuration as transformers reads it. `named`: its class, where it is not CLASSES'."""
    sizes = {"pad_token_id": 0, **{key: value for key, value in config.items() if key not in ("model_type", "architectures")}}
    made = transformers.AutoConfig.for_model(config["model_type"], **sizes)
    with torch.device("meta"):
        return getattr(transformers, named or CLASSES[config["model_type"]])(made)


def modules(model: torch.nn.Module) -> list[torch.nn.Module]:
    """Attention modules, outermost, those that are shared once."""
    found: list[tuple[str, torch.nn.Module]] = []
    for name, module in model.named_modules():
        inside = any(name.startswith(f"{outer}.") for outer, _ in found)
        if "attention" in type(module).__name__.lower() and not inside and any(True for _ in module.parameters()):
            found.append((name, module))
    return [module for _, module in found]


def projections(model: torch.nn.Module) -> int:
    """Parameters of all attention projections, weights and biases; norms and what is no projection apart."""
    seen: set[int] = set()
    total = 0
    for module in modules(model):
        for name, parameter in module.named_parameters():
            if id(parameter) not in seen and not any(word in name.lower() for word in APART):
                seen.add(id(parameter))
                total += parameter.numel()
    return total


def total(model: torch.nn.Module) -> int:
    """All parameters, tied ones once."""
    return sum(parameter.numel() for parameter in model.parameters())
