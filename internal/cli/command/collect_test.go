package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/alanbuscaglia/engram/internal/waittest"
)

// What a server keeps decides how far its heap may grow: the more, the smaller a share of it.
func TestAServerCollectsSteadily(t *testing.T) {
	if usual := debug.SetGCPercent(100); usual != 100 {
		debug.SetGCPercent(usual)
		t.Logf("GOGC is %d, which has precedence", usual)
		return
	}
	CollectSteadily()
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	kept := make([]byte, 64<<20)
	waittest.Until(t, "a small share of much", func() bool {
		runtime.GC()
		return percent() < 60
	})
	runtime.KeepAlive(kept)
	kept = nil
	waittest.Until(t, "more of little", func() bool {
		runtime.GC()
		return percent() > 60
	})
}
