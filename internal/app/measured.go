package app

import (
	"os"
	"time"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// measured is what Prometheus is told of this process; nil where the settings do not ask
// for it.
func (a *App) measured() *httpapi.Process {
	if !a.opts.Config.Metrics {
		return nil
	}
	return &httpapi.Process{Started: time.Now(), Files: func() (database, log int64) {
		return size(a.opts.Config.DBPath), size(a.opts.Config.DBPath + "-wal")
	}}
}

// size is that of a file, 0 when there is none. It is looked at and not opened: closing
// it would drop the locks of SQLite.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
