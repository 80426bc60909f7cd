"""What configurations call the sizes of attention: the spellings that libraries share."""

D_MODEL = ("hidden_size", "n_embd", "d_model", "dim", "n_embed", "hidden_dim", "embed_dim")
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "depth", "encoder_layers", "N")
HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads", "decoder_attention_heads",
         "attention_heads", "h")  # fmt: skip
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "kv_n_heads", "multi_query_group_num")
HEAD_SIZE = ("head_dim", "d_kv", "kv_channels", "attention_head_dim", "attention_key_value_size", "d_head", "attn_head_dim")
#: The key under which a class's own refusal stands in an answer.
REFUSED = "refused"
