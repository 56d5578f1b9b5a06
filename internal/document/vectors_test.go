package document_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

func TestHowFarVectorsAreInALine(t *testing.T) {
	for want, e := range map[string]engram.Embedded{
		"0 of 0 memories have vectors of m":                             {Model: "m"},
		"1 of 3 memories have vectors of m (33 %)":                      {Model: "m", Memories: 1, Total: 3},
		"1 of 3 memories have vectors of m (33 %); more are being made": {Model: "m", Memories: 1, Total: 3, Running: true},
		"1 of 4 memories have vectors of m (25 %); about 3m20s left":    {Model: "m", Memories: 1, Total: 4, Running: true, Left: 200*time.Second + 1},
		"1 of 4 memories have vectors of m (25 %); about 1h1m0s left":   {Model: "m", Memories: 1, Total: 4, Running: true, Left: time.Hour + 40*time.Second},
	} {
		if got := document.VectorsOf(e).Line(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
