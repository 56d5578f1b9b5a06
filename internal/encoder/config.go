package encoder

import (
	"encoding/json"

	"github.com/alanbuscaglia/engram"
)

// The kinds of models.
const (
	BERT = "bert"
	XLMR = "xlm-roberta"
)

// A Config is the sizes of a model and the numbers of its formulas.
type Config struct {
	Kind       string // BERT or XLMR
	Hidden     int    // numbers of a vector
	Layers     int
	Heads      int // divides Hidden
	Inner      int // numbers between the two linear layers of a feed-forward part
	Vocabulary int
	Positions  int // tokens of the longest text, special ones included
	Types      int // of tokens
	Classifier bool
	eps        float32 // added to variances
	offset     int     // position of the first token
}

// limits are far beyond the models that run on a processor, and keep a wrong number from asking for terabytes.
const (
	maxLayers     = 48
	maxHidden     = 4096
	maxInner      = 4 * maxHidden
	maxVocabulary = 1_000_000
	maxPositions  = 16_384
	maxTypes      = 16
)

func invalid(format string, args ...any) error {
	return engram.Errorf(engram.CodeInvalid, format, args...).
		WithHint("use a model of the kind BERT or XLM-RoBERTa, with weights in the safetensors format")
}

// ReadConfig reads a model's config.json; CodeInvalid for a model that is not BERT or XLM-RoBERTa, one of another formula,
// and sizes that contradict each other.
func ReadConfig(file []byte) (Config, error) {
	var f struct {
		Architectures []string
		ModelType     string            `json:"model_type"`
		Activation    string            `json:"hidden_act"`
		PositionType  string            `json:"position_embedding_type"`
		Hidden        int               `json:"hidden_size"`
		Layers        int               `json:"num_hidden_layers"`
		Heads         int               `json:"num_attention_heads"`
		Inner         int               `json:"intermediate_size"`
		Eps           float64           `json:"layer_norm_eps"`
		Positions     int               `json:"max_position_embeddings"`
		Types         int               `json:"type_vocab_size"`
		Vocabulary    int               `json:"vocab_size"`
		Pad           int               `json:"pad_token_id"`
		Labels        map[string]string `json:"id2label"`
	}
	if err := json.Unmarshal(file, &f); err != nil {
		return Config{}, invalid("the model's configuration is not what it should be (%v)", err)
	}
	c := Config{Kind: f.ModelType, Hidden: f.Hidden, Layers: f.Layers, Heads: f.Heads, Inner: f.Inner, Vocabulary: f.Vocabulary,
		Positions: f.Positions, Types: f.Types, eps: float32(f.Eps)}
	for _, a := range f.Architectures {
		c.Classifier = c.Classifier || a == "BertForSequenceClassification" || a == "XLMRobertaForSequenceClassification"
	}
	switch {
	case c.Kind != BERT && c.Kind != XLMR:
		return c, invalid("the model is of the kind %.40q, which is not supported; %s and %s are", c.Kind, BERT, XLMR)
	case f.Activation != "gelu":
		return c, invalid("the model has the activation %.40q, which is not supported; gelu is", f.Activation)
	case f.PositionType != "" && f.PositionType != "absolute":
		return c, invalid("the model has positions of the kind %.40q, which is not supported; absolute ones are", f.PositionType)
	case c.Classifier && len(f.Labels) > 1:
		return c, invalid("the model tells %d classes apart; one score is supported", len(f.Labels))
	case !(f.Eps > 0 && f.Eps <= 0.01):
		return c, invalid("the model's layer_norm_eps is %g", f.Eps)
	}
	if c.Kind == XLMR {
		if f.Pad < 0 || f.Pad > maxTypes {
			return c, invalid("the model's pad_token_id is %d", f.Pad)
		}
		c.offset = f.Pad + 1
		c.Positions -= c.offset
	}
	for _, n := range []struct {
		name      string
		got, most int
	}{
		{"hidden_size", c.Hidden, maxHidden}, {"num_hidden_layers", c.Layers, maxLayers}, {"num_attention_heads", c.Heads, maxHidden},
		{"intermediate_size", c.Inner, maxInner}, {"max_position_embeddings", c.Positions, maxPositions},
		{"type_vocab_size", c.Types, maxTypes}, {"vocab_size", c.Vocabulary, maxVocabulary},
	} {
		if n.got < 1 || n.got > n.most {
			return c, invalid("the model's %s is %d, which is not from 1 to %d", n.name, n.got, n.most)
		}
	}
	if c.Hidden%c.Heads != 0 {
		return c, invalid("the model's %d numbers cannot be divided among %d heads", c.Hidden, c.Heads)
	}
	return c, nil
}
