package foreign

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// naming derives stable names. space separates equal ids in two stores of one system: a project, or
// "" if ids are unique.
type naming struct {
	system System
	space  string
}

// digest returns 16 hex digits, like the ids that stores create.
func (n naming) digest(kind string, id []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{"foreign", kind, string(n.system), n.space}, id...), "\x00")))
	return hex.EncodeToString(sum[:8])
}

func (n naming) memory(id ...string) string { return "obs-" + n.digest("memory", id) }

func (n naming) prompt(id ...string) string { return "prompt-" + n.digest("prompt", id) }

func (n naming) relation(id ...string) string {
	return engram.RelationIDPrefix + n.digest("relation", id)
}

// origin returns the metadata about the source of a memory: the system, its id there, the relative
// file ("" for none), and more. It has no local path, because memories are shared. A single-file
// store has the name its program uses, so a renamed copy imports the same.
func (n naming) origin(id, path string, more map[string]any) map[string]any {
	m := map[string]any{"source": string(n.system), "source_id": id}
	if path != "" {
		m["source_path"] = path
	}
	maps.Copy(m, more)
	return m
}

// dated is origin for items that only have the time of their file.
func (n naming) dated(id, path string, more map[string]any) map[string]any {
	m := n.origin(id, path, more)
	m[engram.SourceDated] = "file"
	return m
}

// mostListed is the most entries of a list in metadata.
const mostListed = 100

// listed returns a list for metadata.
func listed(list []string) []any {
	out := make([]any, 0, min(len(list), mostListed))
	for _, s := range list[:min(len(list), mostListed)] {
		out = append(out, s)
	}
	return out
}

// newMemory returns a memory without ratings.
func newMemory(m engram.Memory) engram.Record {
	m.Importance, m.Strength = engram.DefaultImportance, 1
	m.Scope, m.UpdatedAt = cmp.Or(m.Scope, engram.ScopeProject), cmp.Or(m.UpdatedAt, m.CreatedAt)
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
}
