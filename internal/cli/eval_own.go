package cli

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/own"
)

// ownSets makes the sets out of the user's memories and the repository they work in,
// and writes them into the folder write unless that is "".
func (p *program) ownSets(cmd *cobra.Command, write string) ([]eval.Set, error) {
	name, err := p.readProject(cmd, p.app.Engine, p.loaded.Origins["project"].Source != config.SourceFlag)
	if err != nil {
		return nil, err
	}
	sets, err := own.Sets(cmd.Context(), p.app, name)
	if err != nil {
		return nil, err
	}
	log, found, err := p.app.Changelog(cmd.Context())
	if err != nil {
		return nil, err
	}
	if found {
		var lines []own.Line
		for _, l := range log.Lines {
			lines = append(lines, own.Line(l))
		}
		var commits []own.Commit
		for _, c := range log.Commits {
			commits = append(commits, own.Commit(c))
		}
		sets = append(sets, own.Changelog(lines, commits))
	}
	if write != "" {
		err = writeSets(p.path(write), sets)
	}
	return sets, err
}

// writeSets writes each set that has questions into a folder of its name below dir,
// for the user's eyes only. What is there already is not replaced: figures that were
// taken from it would no longer mean anything.
func writeSets(dir string, sets []eval.Set) error {
	for _, s := range sets {
		if len(s.Questions) == 0 {
			continue
		}
		folder := filepath.Join(dir, s.Name)
		if _, err := os.Stat(folder); err == nil {
			return engram.Errorf(engram.CodeConflict, "%s already exists", folder).WithHint("choose another folder, or measure the existing one: {eval %s}", dir)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return engram.Errorf(engram.CodeUnavailable, "cannot create %s", folder).WithCause(err)
		}
		err := s.Write(func(name string) (io.WriteCloser, error) {
			f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return nil, engram.Errorf(engram.CodeUnavailable, "%s cannot be written", folder).WithCause(err)
			}
			return f, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
