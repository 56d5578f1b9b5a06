package consolidate_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Doctor finds only what it can read: a memory is more than its session.
func TestAMemoryWhoseSessionIsGoneCanBeRead(t *testing.T) {
	enginetest.OfFile(t)
	t.Parallel()
	p := patient(t)
	behind(t, p.Path, `UPDATE memories SET session = 777 WHERE num = 4`)
	m, err := p.Get(t.Context(), engram.ByNum(4))
	if err != nil || m.Memory.SessionID != "" || m.Memory.Content == "" {
		t.Errorf("got %+v, %v, want the memory without a session", m.Memory, err)
	}
	enginetest.Exported(t, p.Engine, exchange.ExportInput{})
}
