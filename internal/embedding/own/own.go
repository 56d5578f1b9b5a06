// Package own is Engram's own encoder: a transformer of 6 layers of 256 numbers that reads a text as a whole. It is part of
// the program and is used where it is asked for: it costs some milliseconds a text, where the table of package static
// costs microseconds.
//
// It was trained from random numbers on a million pairs of that table's (NOTICE names their sources), and has its words:
// 3,619 steps of 131,072 tokens on masked words, 528 of 8,192 pairs on which passage belongs to which question, each with
// a passage that has its words, and 486 with two that the model had confused. Its word vectors began as the table's rows.
// Weights are int8 with a scale per row (package safetensors).
package own

import (
	_ "embed" // the weights

	"github.com/alanbuscaglia/engram/internal/embedding/static"
	"github.com/alanbuscaglia/engram/internal/embedding/transformer"
	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

// What the model is.
const (
	Name       = "engram-encoder"
	Dimensions = 256
	Layers     = 6
	Tokens     = 128      // of a text or window
	Size       = 12707868 // bytes of the weights
	SHA256     = "6b352bed6c538604898dc5b01cd00bb9d0961dec319e820501b2bdf34e515121"
	Weight     = 0.2 // in a fusion with words and the table: .15 to .3 are alike
)

//go:embed model.safetensors
var weights []byte

// Weights returns the model's file, which must not be changed.
func Weights() []byte { return weights }

// config is the shape, in the form of the files that other models come in.
const config = `{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 256, "num_hidden_layers": 6, "num_attention_heads": 8,
	"intermediate_size": 1024, "layer_norm_eps": 1e-12, "max_position_embeddings": 128, "type_vocab_size": 2, "vocab_size": 30005}`

// Tokens before the words of the table; texts stand between two of them.
const (
	opens  = 2
	closes = 3
	before = 5
)

// Open returns the model, which computes on at most so many goroutines. Its packed weights may be in the folder packs, for
// a twentieth of the time; "" has none.
func Open(threads int, packs string) (*transformer.Model, error) {
	c, err := encoder.ReadConfig([]byte(config))
	if err != nil {
		return nil, err
	}
	table := static.New()
	words := func(ids []int32, text string) []int32 {
		from := len(ids)
		ids = table.Tokens(ids, text)
		for i := range ids[from:] {
			ids[from+i] += before
		}
		return ids
	}
	return transformer.New(Name, c, tokenizer.Of(words, c.Vocabulary, opens, closes), weights, packs, transformer.Options{
		Pooling: encoder.Mean, Limit: Tokens, Source: SHA256, Options: encoder.Options{Threads: threads, Narrow: true, Checked: true}})
}
