package app

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// ProgramForAgents is the path by which agents are to call this program: asked, made absolute
// in dir, else the one on the PATH if that is this program, else its own. That on the PATH is
// preferred because it is often a link that a package manager moves to the next version.
//
// CodeNotFound for a program that is not there, CodeConflict, with the path, for one that `go
// run` has made: it is gone before an agent calls it.
func ProgramForAgents(asked, dir, path, goos string) (string, error) {
	if asked != "" {
		if !filepath.IsAbs(asked) {
			asked = filepath.Join(dir, asked)
		}
		if !isProgram(asked, goos) {
			return "", engram.Errorf(engram.CodeNotFound, "%s is no program", asked).WithHint("name the file of this program")
		}
		return asked, nil
	}
	own, err := os.Executable()
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "the program's own file is not known").WithHint("name it with --binary").WithCause(err)
	}
	if found := onPath(filepath.Base(own), path, goos); found != "" && sameFile(found, own) {
		return found, nil
	}
	if strings.Contains(own, string(filepath.Separator)+"go-build") {
		return own, engram.Errorf(engram.CodeConflict, "this program was made by go run, and is gone when it ends: no agent could call it").
			WithHint("install it first (go install ./cmd/engram), or name one with --binary")
	}
	return own, nil
}

// onPath is where a program lies on a PATH; "" when it does not. Entries that are not absolute
// are passed over: they are another program in every folder.
func onPath(name, path, goos string) string {
	names := []string{name}
	if goos == "windows" && filepath.Ext(name) == "" {
		names = []string{name + ".exe", name + ".cmd", name + ".bat"}
	}
	for _, dir := range filepath.SplitList(path) {
		for _, n := range names {
			if at := filepath.Join(dir, n); filepath.IsAbs(dir) && isProgram(at, goos) {
				return at
			}
		}
	}
	return ""
}

func isProgram(path, goos string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (goos == "windows" || info.Mode()&0o111 != 0)
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
