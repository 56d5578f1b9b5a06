package foreign

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// naming gives what is read the names under which it is known again. Space tells apart what
// has the same id in two stores of one system: a project, or "" where ids are unique
// everywhere.
type naming struct {
	system System
	space  string
}

// digest is 16 hex digits: as many as the ids have that stores give.
func (n naming) digest(kind string, id []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{"foreign", kind, string(n.system), n.space}, id...), "\x00")))
	return hex.EncodeToString(sum[:8])
}

func (n naming) memory(id ...string) string { return "obs-" + n.digest("memory", id) }

func (n naming) prompt(id ...string) string { return "prompt-" + n.digest("prompt", id) }

func (n naming) relation(id ...string) string {
	return engram.RelationIDPrefix + n.digest("relation", id)
}

// origin is the metadata that says where a memory comes from: the system, its id there, the
// file as seen from the folder that was named ("": there was none), and what else is worth
// keeping. No path of this machine is in it: memories travel. A store that is one file is
// called as its own program calls it: a copy under another name is the same store, and
// changes nothing.
func (n naming) origin(id, path string, more map[string]any) map[string]any {
	m := map[string]any{"source": string(n.system), "source_id": id}
	if path != "" {
		m["source_path"] = path
	}
	maps.Copy(m, more)
	return m
}

// dated is origin for what has no time but that of its file.
func (n naming) dated(id, path string, more map[string]any) map[string]any {
	m := n.origin(id, path, more)
	m[engram.SourceDated] = "file"
	return m
}

// mostListed is how many entries of a list metadata keeps: it has a limit of its own.
const mostListed = 100

// listed is a list for metadata.
func listed(list []string) []any {
	out := make([]any, 0, min(len(list), mostListed))
	for _, s := range list[:min(len(list), mostListed)] {
		out = append(out, s)
	}
	return out
}

// newMemory is a memory that nobody rated.
func newMemory(m engram.Memory) engram.Record {
	m.Importance, m.Strength = engram.DefaultImportance, 1
	m.Scope, m.UpdatedAt = cmp.Or(m.Scope, engram.ScopeProject), cmp.Or(m.UpdatedAt, m.CreatedAt)
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
}
