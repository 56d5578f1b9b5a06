package source

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Naming derives stable names. space separates equal ids in two stores of one system: a project, or
// "" if ids are unique.
type Naming struct {
	System System
	Space  string
}

// Digest returns 16 hex digits, like the ids that stores create.
func (n Naming) Digest(kind string, id []string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{"foreign", kind, string(n.System), n.Space}, id...), "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Memory returns the name of the memory with an id there.
func (n Naming) Memory(id ...string) string { return "obs-" + n.Digest("memory", id) }

// Prompt returns the name of the prompt with an id there.
func (n Naming) Prompt(id ...string) string { return "prompt-" + n.Digest("prompt", id) }

// Relation returns the name of the relation with an id there.
func (n Naming) Relation(id ...string) string {
	return engram.RelationIDPrefix + n.Digest("relation", id)
}

// Origin returns the metadata about the source of a memory: the system, its id there, the relative
// file ("" for none), and more. It has no local path, because memories are shared. A single-file
// store has the name its program uses, so a renamed copy imports the same.
func (n Naming) Origin(id, path string, more map[string]any) map[string]any {
	m := map[string]any{"source": string(n.System), "source_id": id}
	if path != "" {
		m["source_path"] = path
	}
	maps.Copy(m, more)
	return m
}

// Dated is origin for items that only have the time of their file.
func (n Naming) Dated(id, path string, more map[string]any) map[string]any {
	m := n.Origin(id, path, more)
	m[engram.SourceDated] = "file"
	return m
}

// MostListed is the most entries of a list in metadata.
const MostListed = 100

// Listed returns a list for metadata.
func Listed(list []string) []any {
	out := make([]any, 0, min(len(list), MostListed))
	for _, s := range list[:min(len(list), MostListed)] {
		out = append(out, s)
	}
	return out
}

// NewMemory returns a memory without ratings.
func NewMemory(m engram.Memory) engram.Record {
	m.Importance, m.Strength = engram.DefaultImportance, 1
	m.Scope, m.UpdatedAt = cmp.Or(m.Scope, engram.ScopeProject), cmp.Or(m.UpdatedAt, m.CreatedAt)
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
}
