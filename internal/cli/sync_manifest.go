package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// tellManifest says what is wrong with the list of chunks.
func (p *program) tellManifest(faults []engram.ImportNote) {
	for _, n := range faults[:min(len(faults), chunkLines)] {
		p.warn(render.Line(fmt.Sprintf("the list of chunks, %s: %s", n.Item, n.Reason), 0))
	}
	if more := len(faults) - chunkLines; more > 0 {
		p.warn(fmt.Sprintf("and %s of it", count(more, "more problem", "more problems")))
	}
}

// repairManifest makes the list of chunks fit them, and returns what has to be committed. What comes
// in does not go by the list: that it cannot be repaired is told, and is no reason to stop.
func (p *program) repairManifest(ctx context.Context, s syncing, faults []engram.ImportNote) []string {
	if len(faults) == 0 {
		return nil
	}
	if err := s.place.Remote.Settle(ctx); err != nil {
		p.warn(render.Line("cannot repair the list of chunks: "+err.Error(), 0))
	}
	return s.place.Anew()
}

// writeAnew says what was made anew, and has to be committed.
func writeAnew(b *strings.Builder, anew []string) {
	if len(anew) > 0 {
		fmt.Fprintf(b, "Rebuilt (please commit): %s\n", strings.Join(anew, ", "))
	}
}
