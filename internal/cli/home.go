package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
)

// homeDoc is the answer of `engram` alone with --json.
type homeDoc struct {
	Version  string   `json:"version"`
	Database string   `json:"database"`
	Exists   bool     `json:"exists"` // the database does
	Memories int      `json:"memories"`
	Projects int      `json:"projects"`
	Next     []string `json:"next"` // commands to try
}

// home says where one stands and what to do next. It makes no database: looking is
// not using.
func (p *program) home(cmd *cobra.Command) error {
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	doc := homeDoc{Version: p.Version, Database: p.loaded.DBPath}
	_, err = os.Stat(doc.Database)
	doc.Exists = !errors.Is(err, fs.ErrNotExist)
	if doc.Exists {
		var s engram.Stats
		if s, err = e.Stats(cmd.Context(), ""); err != nil {
			return err
		}
		doc.Memories, doc.Projects = s.Memories, len(s.Projects)
	}
	self := p.self()
	doc.Next = []string{self + " save 'Auth model' 'Access tokens live 15 minutes, in an httpOnly cookie'", self + " serve", self + " demo", self + " --help"}
	if doc.Memories > 0 {
		doc.Next[0] = self + " search how long do tokens live"
	}
	return p.answer(doc, func(b *strings.Builder) { writeHome(b, doc) })
}

func writeHome(b *strings.Builder, doc homeDoc) {
	what := []string{"save a memory", "connect agents", "watch two sessions share one", "see every command"}
	if doc.Memories > 0 {
		what[0] = "ask a question"
		fmt.Fprintf(b, "Engram remembers %s of %s in %s\n", count(doc.Memories, "memory", "memories"), count(doc.Projects, "project", "projects"), doc.Database)
	} else {
		fmt.Fprintf(b, "Engram is a memory for AI agents. Nothing is remembered yet in %s\n", doc.Database)
	}
	for i, next := range doc.Next {
		fmt.Fprintf(b, "  %-30s %s\n", what[i], next)
	}
}

// self is how this program is called in a command to copy: by go run it has no name
// that would work again.
func (p *program) self() string {
	if path, err := os.Executable(); err == nil && strings.Contains(path, "go-build") {
		return "go run ./cmd/engram"
	}
	return "engram"
}
