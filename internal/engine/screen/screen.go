// Package screen is what every text passes on its way in and out: private spans and secrets are cut, lines and names
// are cleaned, limits are checked, and texts that read like instructions are judged. It knows no operation: it takes
// texts and records, and reads approvals and kept secrets through an engram.Reader.
package screen

import (
	"github.com/alanbuscaglia/engram/internal/secret"
)

// Screen cleans and judges texts. It is safe for concurrent use.
type Screen struct {
	Scanner func() *secret.Scanner // built on first use

	ordinary ordinary
}

// New returns a Screen.
func New() *Screen { return &Screen{Scanner: secret.Shared} }
