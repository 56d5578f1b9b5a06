package read_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// The log redacts reasons that older rules kept or another program wrote.
func TestTheLogTellsNoSecrets(t *testing.T) {
	t.Parallel()
	const token = "ghp_x8K2mQ9vT4rW7yB1nC6zL3pD5sF0gH2jA4kE"
	w := enginetest.NewWorld(t)
	num := w.Note("Lighthouse", "The keeper logs ships.")
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		last, err := engram.LastMutation(t.Context(), tx)
		if err != nil {
			return err
		}
		return tx.Append(t.Context(), &engram.Mutation{At: last.At + 1, Actor: "cli", Operation: "forget", Entity: engram.EntityMemory, Key: "1", Project: "demo",
			Reason: "its token was " + token, Was: []byte(`{}`)})
	})
	if err != nil {
		t.Fatal(err)
	}
	ref := engram.ByNum(num)
	for name, in := range map[string]read.LogInput{"of everything": {}, "of the memory": {Ref: &ref}} {
		entries, _, err := w.Engine.Log(t.Context(), in)
		if err != nil || len(entries) < 2 {
			t.Fatalf("%s: %d entries, %v", name, len(entries), err)
		}
		if got := entries[0].Reason; strings.Contains(got, token) || !strings.HasPrefix(got, "its token was [REDACTED:") {
			t.Errorf("%s: the log says %q, want it without the token", name, got)
		}
	}
}
