package foreign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// The reference memory server of the Model Context Protocol keeps JSON lines, each an entity (name,
// entityType, observations) or a relation (from, to, relationType), in memory.jsonl, formerly
// memory.json; it ignores other objects. There are no times: everything is as old as the file.
//
// An entity becomes a memory of type entity, with its observations as a list.
//
// Source: modelcontextprotocol/servers, src/memory (its README and the file it writes).

const graphFile = "memory.jsonl"

// graphLine is either kind of line.
type graphLine struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

func openGraph(path string, info fs.FileInfo, o Options) (engram.Source, error) {
	path = inside(path, info, graphFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeNotFound, "%s does not exist", path).WithHint("name the file in the memory server's MEMORY_FILE_PATH")
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(engram.Errorf(engram.CodeInvalid, "%s is not a file", path), f.Close())
	}
	g := &graph{file: f, name: filepath.Base(path), at: info.ModTime().UTC(), project: o.home(), seen: map[string]int{}}
	g.said.naming = naming{MCPMemory, g.project}
	g.source = source{head: engram.Snapshot{Format: string(MCPMemory), Project: g.project, Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}},
		each: g.each, close: f.Close}
	return g, nil
}

// graph reads such a file.
type graph struct {
	source
	said    relations
	file    *os.File
	name    string
	at      time.Time
	project string
	seen    map[string]int // number of entities by name
	found   int            // entities and relations
	broken  bool           // the last line read is cut off
}

// each yields the records. Relations come last, because they may precede their entities.
func (g *graph) each(ctx context.Context, yield func(engram.Record) bool) error {
	lines := 0
	err := eachLine(g.file, func(number int, line []byte, long bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		lines++
		item := fmt.Sprintf("%s:%d", g.name, number)
		r, given := g.line(item, line, long)
		if given && !yield(r) {
			return errEnough
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err != nil && ctx.Err() == nil:
		return unreadable(g.name, err)
	case err != nil:
		return err
	case g.broken && g.found > 0:
		return engram.Errorf(engram.CodeInvalid, "%s is cut off in its last line", g.name).
			WithHint("copy it again; if the memory server left it so, remove the last line")
	case lines > 0 && g.found == 0:
		return engram.Errorf(engram.CodeInvalid, "%s has no entities and no relations", g.name).
			WithHint("use a file with one JSON object per line, of type entity or relation")
	}
	g.said.each(yield)
	return nil
}

// line reads one line; given is false if there is nothing to yield yet.
func (g *graph) line(item string, text []byte, long bool) (r engram.Record, given bool) {
	flaw := func(format string, args ...any) (engram.Record, bool) {
		return engram.Record{Item: item, Flaw: engram.Errorf(engram.CodeInvalid, format, args...)}, true
	}
	g.broken = false
	switch {
	case long:
		return flaw("the line is longer than %d MiB", maxLine>>20)
	case !utf8.Valid(text): // the JSON decoder would silently replace invalid bytes
		return flaw("the line is not valid UTF-8")
	}
	var l graphLine
	if err := json.Unmarshal(text, &l); err != nil {
		if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && bad.Field != "" {
			return flaw("%s cannot be a %s", bad.Field, bad.Value)
		}
		if bad, ok := errors.AsType[*json.SyntaxError](err); ok && bad.Offset >= int64(len(text)) {
			g.broken = true
		}
		return flaw("the line is not a JSON object")
	}
	switch l.Type {
	case "entity":
		g.found++
		if l.Name == "" {
			return flaw("the entity has no name")
		}
		r = g.entity(l)
		r.Item = item
		return r, true
	case "relation":
		g.found++
		if l.From == "" || l.To == "" {
			return flaw("the relation lacks from or to")
		}
		g.said.add(relation{from: g.said.memory(l.From, "1"), to: g.said.memory(l.To, "1"), word: l.RelationType, item: item, at: g.at})
		return r, false
	}
	g.note(item, fmt.Sprintf("left out: it is neither an entity nor a relation but %.40q", l.Type))
	return r, false
}

// entity returns an entity as a memory. A repeated name makes another memory, because the server
// allows it.
func (g *graph) entity(l graphLine) engram.Record {
	g.seen[l.Name]++
	nth := g.seen[l.Name]
	content := bullets(l.Observations)
	if content == "" {
		content = l.Name
		if l.EntityType != "" {
			content += " (" + l.EntityType + ")"
		}
	}
	more := map[string]any{}
	if l.EntityType != "" {
		more["entity_type"] = l.EntityType
	}
	return newMemory(engram.Memory{SyncID: g.said.memory(l.Name, fmt.Sprint(nth)), Project: g.project, Type: engram.TypeEntity, Title: l.Name, Content: content,
		Tags: tagOf(l.EntityType), Metadata: g.said.dated(l.Name, graphFile, more), CreatedAt: g.at})
}

// bullets formats texts as a list; a single text stands alone.
func bullets(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	var b strings.Builder
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(strings.TrimSpace(t), "\n", "\n  "))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tagOf returns a word as a tag; nil if it is too long.
func tagOf(word string) []string {
	word = strings.Join(strings.Fields(word), "-")
	if word == "" || len(word) > engram.MaxTag {
		return nil
	}
	return []string{word}
}
