package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func (p *program) captureCommand() *cobra.Command {
	var session, source string
	cmd := &cobra.Command{
		Use:   "capture [FILE|-]",
		Short: "Save the learnings listed in a text",
		Long: `Save each item of the last "## Key Learnings:" section of a text as a memory. Items that are already known are only
counted. The text comes from a file or from standard input.`,
		Example: examples("engram capture notes.md", "agent --print | engram capture --source agent"),
		Args:    between(0, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			return p.capture(cmd, e, name, session, source)
		}),
	}
	cmd.Flags().StringVar(&session, "session", "", "session `id` (default: the project's open session)")
	cmd.Flags().StringVar(&source, "source", "cli", "where the text came from, one `word`")
	return cmd
}

func (p *program) capture(cmd *cobra.Command, e *engine.Engine, name, session, source string) error {
	var err error
	in := engine.CaptureInput{SessionID: session, NewSession: true, Directory: p.Dir, Source: source}
	if in.Content, err = p.fileText(name); err != nil {
		return err
	}
	if in.Project, err = p.writeProject(cmd, e); err != nil {
		return err
	}
	res, err := e.Capture(cmd.Context(), in)
	if err != nil {
		return err
	}
	p.warnAll(res.Warnings)
	return p.answer(capturedOf(e, res), func(b *strings.Builder) {
		fmt.Fprintf(b, "%s found in the text: %d saved, %d already known\n", count(res.Extracted, "learning", "learnings"), res.Saved, res.Duplicates)
		for _, m := range res.Memories {
			writeLine(b, m)
		}
	})
}

// fileText reads a file of text, or stdin for "-", up to a little more than one
// memory may hold, so that the engine names the limit.
func (p *program) fileText(name string) (string, error) {
	if name == "-" {
		return p.text("-")
	}
	f, err := p.fileReader(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 16*engram.MaxContent))
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "file %s cannot be read", name).WithCause(err)
	}
	return string(data), nil
}

// fileReader opens a file, "-" is standard input; the caller closes it.
func (p *program) fileReader(name string) (io.ReadCloser, error) {
	if name == "-" {
		p.awaitInput()
		return io.NopCloser(p.input), nil
	}
	if name == "" {
		return nil, invalidf("no file given").WithHint("give a file, or - for standard input")
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, path)
	}
	if was, err := os.Stat(path); err == nil && was.IsDir() {
		return nil, invalidf("%s is a folder", name).
			WithHint("use import --format obsidian for a folder of notes, migrate for data of another program, or name a file in it")
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeNotFound, "file %s does not exist", name)
	}
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "file %s cannot be read", name).WithCause(err)
	}
	return f, nil
}
