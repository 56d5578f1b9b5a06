package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/own"
	"github.com/alanbuscaglia/engram/internal/embedding/transformer"
	"github.com/alanbuscaglia/engram/internal/encoder"
)

// inProgram is the source of the model that is part of the program.
const inProgram = "the program"

// Within reports whether the model is part of the program, and has no folder.
func (l Lock) Within() bool { return l.Name == own.Name }

// within describes the model that is part of the program.
func within() Lock {
	return Lock{Name: own.Name, Source: inProgram, License: "mit", Kind: encoder.BERT, Dimensions: own.Dimensions, Layers: own.Layers,
		Pooling: string(encoder.Mean), Tokens: own.Tokens, Precision: Narrow, Files: []File{{weightsFile, own.Size, own.SHA256}}}
}

// packed is the folder with the packed weights of the model that is part of the program, in that of the models, whose
// names do not begin with a dot.
const packed = ".packed"

// openWithin opens the model that is part of the program, and keeps its weights as they are packed for the processes that
// open it next.
func (l Library) openWithin() (*transformer.Model, error) {
	dir := filepath.Join(l.Dir, packed)
	m, err := own.Open(l.Threads, dir)
	if err == nil && !m.Packed() && l.Dir != "" && os.MkdirAll(dir, 0o700) == nil {
		_ = within().pack(dir, m) // the next process makes them again
	}
	return m, err
}

// verifyWithin checks the program's copy of the model, and that it computes.
func verifyWithin(ctx context.Context) error {
	if sum := sha256.Sum256(own.Weights()); hex.EncodeToString(sum[:]) != own.SHA256 {
		return engram.Errorf(engram.CodeInvalid, "the program's copy of %s is damaged", own.Name).WithHint("install the program again")
	}
	m, err := own.Open(1, "")
	if err == nil {
		_, err = m.Embed(ctx, "", []string{"We chose Postgres for the shop."})
	}
	return err
}
