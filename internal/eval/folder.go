package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Sets returns the folders of files that are sets, by name: "." alone when files is
// one itself, else those directly in it. Without any it is CodeInvalid, and
// CodeNotFound when there is no folder.
func Sets(files fs.FS) ([]string, error) {
	if isSet(files, ".") {
		return []string{"."}, nil
	}
	entries, err := fs.ReadDir(files, ".")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, engram.Errorf(engram.CodeNotFound, "the folder does not exist")
	case err != nil:
		return nil, engram.Errorf(engram.CodeInvalid, "the folder cannot be read").WithCause(err)
	}
	var names []string
	for _, e := range entries {
		if isSet(files, e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, engram.Errorf(engram.CodeInvalid, "the folder is no set of questions, and none is in it").
			WithHint("a set has %s, %s and %s; {eval --own --write DIR} makes one of your own memories", corpusFile, Questions, judgementFile)
	}
	return names, nil
}

// isSet reports a folder with a corpus; what else is missing is worth an error.
func isSet(files fs.FS, dir string) bool {
	for _, end := range []string{"", ".gz"} {
		if info, err := fs.Stat(files, path.Join(dir, corpusFile+end)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Few is how many questions a set needs before its figures say anything.
const Few = 20

// Head returns the set with n of its questions, spread evenly over all, or all of
// them when n is 0 or more than there are.
func (s Set) Head(n int) Set {
	if n <= 0 || n >= len(s.Questions) {
		return s
	}
	some := make([]Question, n)
	for i := range some {
		some[i] = s.Questions[i*len(s.Questions)/n]
	}
	s.Questions = some
	return s
}

// Write writes the set in the form that ReadSet reads: create is called for each of
// its three files, and what it returns is closed.
func (s Set) Write(create func(name string) (io.WriteCloser, error)) error {
	for _, file := range []struct {
		name string
		fill func(io.Writer) error
	}{
		{corpusFile, func(w io.Writer) error { return writeLines(w, s.Documents) }},
		{Questions, func(w io.Writer) error { return writeLines(w, s.Questions) }},
		{judgementFile, s.writeRelevant},
	} {
		f, err := create(file.name)
		if err != nil {
			return err
		}
		if err := errors.Join(file.fill(f), f.Close()); err != nil {
			return engram.Errorf(engram.CodeUnavailable, "%s cannot be written", file.name).WithCause(err)
		}
	}
	return nil
}

func writeLines[T any](w io.Writer, lines []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func (s Set) writeRelevant(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\tcorpus-id\tscore\n", judgementHead); err != nil {
		return err
	}
	for _, q := range s.Questions {
		for _, id := range slices.Sorted(maps.Keys(s.Relevant[q.ID])) {
			if _, err := fmt.Fprintf(w, "%s\t%s\t1\n", q.ID, id); err != nil {
				return err
			}
		}
	}
	return nil
}
