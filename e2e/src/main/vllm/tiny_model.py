"""Writes a tiny Llama with random weights, a byte-level tokenizer and a chat template: tiny_model.py FOLDER

Nothing is downloaded. The text it answers is noise; what counts is that a real vLLM serves it on a CPU within seconds.
Two layers, hidden size 64, two heads of 32 (the smallest head that vLLM's CPU attention takes), two key-value heads so that two tensor
parallel ranks get one each; 32,768 positions. The seed is fixed, so the same files come out on every machine.
"""

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

POSITIONS = 32_768
SPECIAL = ["<|pad|>", "<|bos|>", "<|eos|>", "<|im_start|>", "<|im_end|>"]
CORPUS = [
    "the quick brown fox jumps over the lazy dog",
    "You are a helpful assistant. Answer in short lines.",
    "def main(): return 42",
    "user assistant system tool",
    '{"role": "user", "content": "hello"}',
] * 20
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    bpe.train_from_iterator(CORPUS, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token=SPECIAL[1], eos_token=SPECIAL[2], pad_token=SPECIAL[0], model_max_length=POSITIONS
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


def main(folder: str) -> None:
    words = tokenizer()
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            head_dim=32,
            max_position_embeddings=POSITIONS,
            bos_token_id=1,
            eos_token_id=2,
            pad_token_id=0,
            torch_dtype="float32",
        )
    )
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    print(f"{folder}: {sum(p.numel() for p in model.parameters())} parameters, {len(words)} tokens")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
