package earlier

import (
	"context"
	"os"
	"slices"

	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Recognize names the earlier Engram that a database belongs to, by its tables and columns; known
// is false for any other database.
func Recognize(tables map[string][]string) (of string, known bool) {
	has := func(table string, columns ...string) bool {
		have := tables[table]
		return len(have) > 0 && !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(have, c) })
	}
	switch {
	case has("lineages"): // our own, whatever its application ID
		return "", false
	case has("observations", "id", "content") && has("sessions", "id") && !has("sdk_sessions"):
		return "mem_* tools", true
	case has("memories", "id", "content", "memory_type"):
		return "memory_* tools", true
	case has("memories", "id", "content", "title", "type"):
		return "sleep and focus, in LibSQL", true
	case has("memories", "id", "content", "strength"), has("memories", "id", "content", "category"):
		return "remember and recall tools", true
	}
	return "", false
}

// Name names the earlier Engram of the database at path or in the folder at path; "" for
// anything else.
func Name(ctx context.Context, path string) (of string) {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	db, err := database.Open(ctx, source.Inside(path, info, File), source.Options{})
	if err != nil {
		return ""
	}
	tables := map[string][]string{}
	for _, name := range []string{"lineages", "observations", "sessions", "sdk_sessions", "memories"} {
		if tables[name], err = db.Columns(ctx, name); err != nil {
			break
		}
	}
	if closing := db.Close(); err == nil && closing == nil {
		of, _ = Recognize(tables)
	}
	return of
}
