package engram_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// Only a content can be parted; a name that is too long has to become shorter.
func TestTheHintForWhatIsTooLongFitsIt(t *testing.T) {
	for limit, want := range map[int]string{engram.MaxName: "shorten it", engram.MaxTitle: "shorten it", engram.MaxContent: "split it into several memories, or keep the essence"} {
		err := engram.CheckText("text", strings.Repeat("x", limit+1), limit)
		if got := engram.HintOf(err); engram.CodeOf(err) != engram.CodeInvalid || got != want {
			t.Errorf("a text over %d bytes: got %v, hint %q, want %q", limit, err, got, want)
		}
	}
}
