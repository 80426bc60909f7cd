"""Ranks the search entries for a query with SQLite's full-text search (FTS5), stems, synonyms and corrected typing errors."""

import difflib
import re
import sqlite3
import weakref
from collections import defaultdict
from collections.abc import Sequence

from components.page import Item

#: Stop words.
EMPTY = frozenset(re.findall(
    r"\w+",
    """a able about actually all allow allows always an and any anyone are argument as at be because become becomes been
    broken bug but by can cannot case cases cause causes caution change changed changes changing check checked clarification
    class code config confused confusing confusion correct correctly could couldn currently did do docs does doesn doing don
    doubt encounter encounters enhancement errors exactly example examples explain explained feature file for found
    from get getting give given handle handled handles handling has have having hello hi how i if implement implementation
    implemented in incorrect incorrectly instances instead into is isn issue it its just know like lines look looks made
    make many me mean means missing mistake mistakes module much multiheadattention my need needs nn not of
    official on or part please possible possibly potential precise problem purpose question questions raise raised rather
    really regarding repo report reported saying seem seems set sets should shouldn shouldnt shown silently so some
    sometimes sorry strange support than thanks that the their them then there these they think this to too tried try trying
    tutorial under understand understanding understood up use used uses using vs want was way we what when where whether
    which who why will with wondering work works would wrong you your""",
))  # fmt: skip
#: Further stop words: the layer's own name, because everything is about it, and a chapter's number.
LAYER = re.compile(
    r"\b(?:multi[-_ ]?head(?:ed)?(?:[-_ ]?(?:self)?[-_ ]?attention)?|scaled[-_ ]dot[-_ ]product[-_ ]attention)\b"
    r"|\b(?:tutorial|chapter|section|assignment) [\d.]+",
    re.IGNORECASE,
)
#: Where a word begins in the name of a class.
CAPITALS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
SYNONYMS = tuple(tuple(sorted(group.split(" = "), key=len, reverse=True)) for group in (
    "gqa = grouped query = num_key_value_heads = kv heads = mqa = multi query = key value heads = n_kv_heads = "
    "num_kv_heads = kv groups = n_kv_groups = n_query_groups = query groups = kv head",
    "mla = latent = deepseek",
    "head_dim = key_dim = d_k = dim_head = head size = key size = head dimension = size of each head = headdim = head dim "
    "= head_size = size_per_head = dimension of head = dimension per head = width of a head",
    "d_model = embed_dim = hidden_size = n_embd = embed_size = embedding dimension = features = width",
    "num_heads = num_head = n_head = n_heads = nhead = head_num = headnum = num_attention_heads = number of heads = head "
    "number = head count",
    "why several = several heads = multiple heads = more than one head = single head = one big head",
    "split = cut = slices = chunk",
    "reshape = view = permute = transpose = rearrange",
    "sqrt = √d_k = square root = scaled = scaling = scale = qk_scale = scale factor",
    "parameters = params = parameter count = count_params = number of parameters = weights count",
    "pytorch = torch = nn MultiheadAttention",
    "transformers = huggingface = hugging face",
    "keras = tensorflow = tf",
    "output projection = w_o = out_proj = final linear = o_proj = c_proj = proj",
    "causal = is_causal = use_causal_mask = look ahead = autoregressive = future = tril = triu = triangular = leak = "
    "leakage",
    "padding = pad = key_padding_mask = padded = variable length",
    "attention map = map = attention weights = attention weight = attn_weights = heatmap",
    "attention mask = attention_mask = attn_mask = mask",
    "qkv = q k v",
    "convert = port = load weights = transfer weights = converter",
    "rotary = rope",
    "cross attention = crossattention = encoder decoder attention",
    "same = equal = identical",
))  # fmt: skip
#: Weights of a word in an entry's `name` and in its `asked` (in its `text`: 1), and of several words in the query's order.
IN_NAME, AS_ASKED, IN_ORDER = 4.5, 8.0, 1.5
#: Weight of a word's synonym, and of a corrected word, if no entry has the word itself.
BY_SYNONYM, BY_GUESS = 0.6, 0.5
#: A name in code, such as prune_heads, counts as much as all other words together if at most RARE entries have it.
RARE = 3
#: The shortest word that may be misspelt, and the least similarity of a correction.
LEAST_LETTERS, ALIKE = 4, 0.78
#: Factors by kind of entry: more for what most people look for, less for settings and models, of which there are many.
WORTH = {"page": 1.2, "question": 1.2, "step": 1.3, "model": 0.85, "setting": 0.75, "variable": 0.8, "program": 0.6}


def folded(text: str) -> str:
    """The text in lower case, without separators in numbers: 1,050,624 and 1_050_624 become 1050624."""
    return re.sub(r"(?<=\d)[,_'’](?=\d{3}(?!\d))", "", text.lower())


def words_of(text: str) -> list[str]:
    """Splits a text into words in lower case. "(None, 6, 8)" gives three words; "key_dim" and "0.5" are one word each."""
    return re.findall(r"\d+\.\d+|√?\w+", folded(text))


def sought(query: str) -> list[str]:
    """The words of a query, without its stop words. A query of stop words alone keeps them. "1 050 624" is one number."""
    if re.fullmatch(r"\s*\d{1,3}(?:[ .\u00a0\u202f]\d{3}){2,}\s*", query):
        return [re.sub(r"\D", "", query)]
    said = ([word for word in words_of(text) if word not in EMPTY] for text in (LAYER.sub(" ", query), query))
    return next(filter(None, said), words_of(query))


def single(words: Sequence[str]) -> str:
    """Joins words into a text in which names can be found. Spaces surround each word. Longer words lose a plural s."""
    return f" {' '.join(re.sub(r'(?<=[a-z]{2}[^s])s$', '', word) for word in words)} "


def phrase(words: str) -> str:
    """Words as a quoted phrase for FTS5, so that FTS5 reads no word as an operator."""
    return f'"{folded(words).replace(chr(34), " ")}"'


#: Each name of the field: as `single` writes it, as it is, and its group of synonyms. Longest first: "key bias" before "bias".
_NAMES = sorted(((single(sought(name)), name, group) for group in SYNONYMS for name in group), key=lambda one: -len(one[0]))


def wanted(words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Finds names of the field in a query. Returns each name with its synonyms, then all other words without synonyms."""
    text, found = single(words), []
    for spelt, name, group in _NAMES:
        if spelt in text:
            found.append((name, [other for other in group if other != name]))
            text = text.replace(spelt, " ", 1)
    left = set(text.split())
    return found + [(word, []) for word in dict.fromkeys(words) if single([word]).strip() in left]


class Index:
    """A full-text index of search entries. The number of an entry is its index in `items`."""

    def __init__(self, items: Sequence[Item]):
        self.items = items
        self.base = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self.base.close)  # Python 3.13 and later warn of a connection that is not closed
        self.base.execute("CREATE VIRTUAL TABLE entry USING fts5(name, asked, text, tokenize='porter unicode61')")
        texts = [tuple(map(folded, (item.name, item.asked, f"{item.text} {item.answer}"))) for item in items]
        rows = [(place, *text) for place, text in enumerate(texts)]
        self.base.executemany("INSERT INTO entry(rowid, name, asked, text) VALUES (?, ?, ?, ?)", rows)
        self.words = sorted({word for text in texts for word in words_of(" ".join(text)) if not word[0].isdigit()})
        self.known = {*self.words, *EMPTY}

    def fits(self, expression: str) -> dict[int, float]:
        """The score of each entry that matches an FTS5 expression: SQLite's bm25, larger for a better match."""
        query = "SELECT rowid, -bm25(entry, ?, ?, 1.0) FROM entry WHERE entry MATCH ?"
        return dict(self.base.execute(query, (IN_NAME, AS_ASKED, expression)))

    def guessed(self, name: str) -> dict[int, float]:
        """The score of each entry for a word that no entry has. Its parts are sought, else a similar word, else its beginning."""
        near = difflib.get_close_matches(name, self.words, 1, ALIKE)
        parts = [phrase(part) for part in re.findall("[^_]+", name) if part not in EMPTY]
        return (self.fits(" AND ".join(parts)) if parts else {}) or self.fits(phrase(near[0]) if near else f"{phrase(name)} *")

    def in_order(self, words: Sequence[str]) -> dict[int, float]:
        """An extra score for each entry that has all these words next to each other, in this order."""
        return {place: IN_ORDER * fit for place, fit in self.fits(phrase(" ".join(words))).items()} if len(words) > 1 else {}

    def scored(self, words: Sequence[str]) -> dict[int, float]:
        """The score of each entry for all words and their synonyms. `guessed` scores a longer word that no entry has."""
        scores: defaultdict[int, float] = defaultdict(float)
        had: defaultdict[int, int] = defaultdict(int)
        for name, others in wanted(words):
            fits = self.fits(phrase(name))
            for place, fit in self.fits(" OR ".join(map(phrase, others))).items() if others else ():
                fits[place] = max(fits.get(place, 0.0), BY_SYNONYM * fit)
            if not fits and not name[0].isdigit() and len(name) >= LEAST_LETTERS:
                fits = {place: BY_GUESS * fit for place, fit in self.guessed(name).items()}
            rare = "_" in name and len(fits) <= RARE
            for place, fit in fits.items():
                scores[place] += fit
                had[place] += len(words) if rare else 1
        for place, worth in self.in_order(words).items():
            scores[place] += worth
        whole = max(had.values(), default=1)
        return {place: score * WORTH.get(self.items[place].kind, 1.0) * had[place] / whole for place, score in scores.items()}

    def ranked(self, query: str, most: int) -> list[Item]:
        """Finds at most `most` entries for a query, best first. Stop words count if no entry has the other words, or if an entry
        has the whole query. An unknown class name, such as NewLayer, is split into its words."""
        query = re.sub(r"[A-Za-z]+", lambda name: name[0] if name[0].lower() in self.known else CAPITALS.sub(" ", name[0]), query)
        worth = self.scored(sought(query)) or self.scored(words_of(query))
        for place, more in self.in_order(words_of(query)).items():  # exactly as typed, with stop words: "what is a head"
            worth[place] = worth.get(place, 0.0) + more
        return [self.items[place] for place in sorted(worth, key=lambda place: (-worth[place], place))[:most]]
