// Package mcpmemory reads the file of the reference memory server of the Model Context Protocol.
//
// That server keeps JSON lines, each an entity (name,
// entityType, observations) or a relation (from, to, relationType), in memory.jsonl, formerly
// memory.json; it ignores other objects. There are no times: everything is as old as the file.
//
// An entity becomes a memory of type entity, with its observations as a list.
//
// Source: modelcontextprotocol/servers, src/memory (its README and the file it writes).
package mcpmemory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

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

// Open opens the file at path, or in the folder at path. CodeNotFound if it does not exist.
func Open(path string, info fs.FileInfo, o source.Options) (engram.Source, error) {
	path = source.Inside(path, info, graphFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeNotFound, "%s does not exist", path).WithHint("name the file in the memory server's MEMORY_FILE_PATH")
	}
	if err != nil {
		return nil, source.Unreadable(path, err)
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(engram.Errorf(engram.CodeInvalid, "%s is not a file", path), f.Close())
	}
	g := &graph{file: f, name: filepath.Base(path), at: info.ModTime().UTC(), project: o.Home(), seen: map[string]int{}}
	g.said.Naming = source.Naming{System: source.MCPMemory, Space: g.project}
	g.Source = source.Source{Head: engram.Snapshot{Format: string(source.MCPMemory), Project: g.project, Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}},
		Each: g.each, Done: f.Close}
	return g, nil
}

type graph struct {
	source.Source
	said    source.Relations
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
	err := source.EachLine(g.file, func(number int, line []byte, long bool) error {
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
			return source.ErrEnough
		}
		return nil
	})
	switch {
	case errors.Is(err, source.ErrEnough):
		return nil
	case err != nil && ctx.Err() == nil:
		return source.Unreadable(g.name, err)
	case err != nil:
		return err
	case g.broken && g.found > 0:
		return engram.Errorf(engram.CodeInvalid, "%s is cut off in its last line", g.name).
			WithHint("copy it again; if the memory server left it so, remove the last line")
	case lines > 0 && g.found == 0:
		return engram.Errorf(engram.CodeInvalid, "%s has no entities and no relations", g.name).
			WithHint("use a file with one JSON object per line, of type entity or relation")
	}
	g.said.Each(yield)
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
		return flaw("the line is longer than %d MiB", source.MaxLine>>20)
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
		g.said.Add(source.Relation{From: g.said.Memory(l.From, "1"), To: g.said.Memory(l.To, "1"), Word: l.RelationType, Item: item, At: g.at})
		return r, false
	}
	g.Note(item, fmt.Sprintf("left out: it is neither an entity nor a relation but %.40q", l.Type))
	return r, false
}

// entity returns an entity as a memory. A repeated name makes another memory, because the server
// allows it.
func (g *graph) entity(l graphLine) engram.Record {
	g.seen[l.Name]++
	nth := g.seen[l.Name]
	content := source.Bullets(l.Observations)
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
	return source.NewMemory(engram.Memory{SyncID: g.said.Memory(l.Name, fmt.Sprint(nth)), Project: g.project, Type: engram.TypeEntity, Title: l.Name, Content: content,
		Tags: source.TagOf(l.EntityType), Metadata: g.said.Dated(l.Name, graphFile, more), CreatedAt: g.at})
}
