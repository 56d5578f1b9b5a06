package browse

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
)

// editor is a text in a temporary file that only its owner can read, and the program that edits it.
type editor struct {
	cmd  *exec.Cmd
	dir  string
	path string
}

// newEditor writes the file and finds the program: VISUAL, else EDITOR, which may have arguments.
func newEditor(p *command.Program, text string) (*editor, error) {
	words := editorWords(p)
	if len(words) == 0 {
		return nil, engram.Errorf(engram.CodeUnavailable, "no editor is known: neither VISUAL nor EDITOR is set").WithHint("set one, such as EDITOR=nano, and start again")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "the editor %q cannot be run", words[0]).WithHint("set VISUAL or EDITOR to a program that is installed").WithCause(err)
	}
	dir, err := os.MkdirTemp("", "engram-")
	if err != nil {
		return nil, failed(err)
	}
	f, err := os.CreateTemp(dir, "memory-*.md") // its mode is 0600
	if err != nil {
		return nil, failed(errors.Join(err, os.RemoveAll(dir)))
	}
	e := &editor{dir: dir, path: f.Name()}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, failed(errors.Join(err, e.Close()))
	}
	e.cmd = exec.Command(words[0], append(words[1:], e.path)...)
	return e, nil
}

// editorWords returns the program and its arguments.
func editorWords(p *command.Program) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		v, _ := p.Env(name)
		if v = strings.TrimSpace(v); v == "" {
			continue
		}
		if _, err := exec.LookPath(v); err == nil { // a path with spaces
			return []string{v}
		}
		return strings.Fields(v)
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return nil
}

func failed(err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot write a file for the editor").WithHint("make the folder for temporary files writable (TMPDIR)").WithCause(err)
}

// Run implements app.TUIEditing.
func (e *editor) Run() error { return e.cmd.Run() }

// SetStdin implements app.TUIEditing.
func (e *editor) SetStdin(r io.Reader) { e.cmd.Stdin = r }

// SetStdout implements app.TUIEditing.
func (e *editor) SetStdout(w io.Writer) { e.cmd.Stdout = w }

// SetStderr implements app.TUIEditing.
func (e *editor) SetStderr(w io.Writer) { e.cmd.Stderr = w }

// Text implements app.TUIEditing. A memory is at most engram.MaxContent bytes; more is not read.
func (e *editor) Text() (string, error) {
	f, err := os.Open(e.path)
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "the editor removed its file").WithCause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 2*engram.MaxContent))
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "cannot read the file of the editor").WithCause(err)
	}
	return string(data), nil
}

// Close implements app.TUIEditing.
func (e *editor) Close() error {
	if err := os.RemoveAll(e.dir); err != nil {
		return engram.Errorf(engram.CodeUnavailable, "the temporary file %s could not be removed", e.path).WithHint("remove it yourself").WithCause(err)
	}
	return nil
}
