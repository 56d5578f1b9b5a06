package app

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// warmPatience is how long a search waits for the server before it goes on alone. At
// 100,000 memories a server answers in 30 ms, and a command of its own needs 60.
const warmPatience = 200 * time.Millisecond

// warm asks the server of the data directory to search, which has in memory what a
// command would have to read first. Whatever keeps it from answering, ok is false and the
// caller searches for itself; the finds are the same.
func (a *App) warm(ctx context.Context, in engine.SearchInput) (found engram.Found, ok bool) {
	c := a.opts.Config
	h, held, err := daemon.Look(c.DataDir)
	if err != nil || !held || !h.Here() || h.Version != a.opts.Version || h.Build != build() || h.Database != c.DBPath {
		return found, false
	}
	settings := settingsOf(c, time.Now())
	if settings == "" {
		return found, false
	}
	ctx, cancel := context.WithTimeout(ctx, warmPatience)
	defer cancel()
	err = h.Ask(ctx, c.HTTPToken, daemon.VerbSearch, warmSearch{Settings: settings, In: in}, &found)
	return found, err == nil
}
