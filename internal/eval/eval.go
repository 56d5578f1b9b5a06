package eval

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The files of a set, and the first field of the header of its judgements.
const (
	corpusFile    = "corpus.jsonl"
	judgementFile = "qrels.tsv"
	judgementHead = "query-id"
)

// Questions is the file of questions that every set has.
const Questions = "queries.jsonl"

// Document is one text to remember.
type Document struct {
	ID      string    `json:"id"`
	Title   string    `json:"title,omitempty"` // "" for none
	Text    string    `json:"text"`
	Time    time.Time `json:"time,omitzero"` // when it was written; zero if unknown
	Group   string    `json:"group"`         // becomes the project of the memory
	Session string    `json:"session,omitempty"`
	Seq     int       `json:"seq,omitempty"` // its position in the group
}

// Question is asked in the documents of its group.
type Question struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Group string `json:"group"`
}

// Set is a set of documents, questions and judgements.
type Set struct {
	Name      string
	Documents []Document // in the order of the file
	Questions []Question // only those with an answer
	Relevant  map[string]Relevant
	Groups    []string // in the order of the documents, then of the questions
}

// ReadSet reads the set in the folder dir: corpus.jsonl has a Document per line, questions a Question per
// line, qrels.tsv question id, document id and score separated by tabs; each may end in .gz. Missing, invalid
// or repeated lines are CodeInvalid, with file and line.
func ReadSet(files fs.FS, dir, questions string) (Set, error) {
	s := Set{Name: path.Base(dir), Relevant: map[string]Relevant{}}
	known, groups := map[string]bool{}, map[string]bool{}
	group := func(name string) {
		if !groups[name] {
			groups[name] = true
			s.Groups = append(s.Groups, name)
		}
	}
	err := eachJSON(files, path.Join(dir, corpusFile), func(d Document) error {
		switch {
		case d.ID == "":
			return errors.New("the document has no id")
		case known[d.ID]:
			return fmt.Errorf("document %q occurs twice", d.ID)
		}
		known[d.ID] = true
		group(d.Group)
		s.Documents = append(s.Documents, d)
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	if err := s.readRelevant(files, path.Join(dir, judgementFile), known); err != nil {
		return Set{}, err
	}
	asked := map[string]bool{}
	err = eachJSON(files, path.Join(dir, questions), func(q Question) error {
		if asked[q.ID] {
			return fmt.Errorf("question %q occurs twice", q.ID)
		}
		asked[q.ID] = true
		if len(s.Relevant[q.ID]) > 0 {
			group(q.Group)
			s.Questions = append(s.Questions, q)
		}
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	return s, nil
}

func (s *Set) readRelevant(files fs.FS, name string, known map[string]bool) error {
	return eachLine(files, name, func(line string) error {
		f := strings.Split(line, "\t")
		switch {
		case f[0] == judgementHead:
			return nil
		case len(f) != 3:
			return fmt.Errorf("%d fields instead of 3", len(f))
		case f[2] == "0" || strings.HasPrefix(f[2], "-"):
			return nil
		case !known[f[1]]:
			return fmt.Errorf("document %q does not exist", f[1])
		}
		if s.Relevant[f[0]] == nil {
			s.Relevant[f[0]] = Relevant{}
		}
		s.Relevant[f[0]][f[1]] = true
		return nil
	})
}

// eachJSON is eachLine for lines of JSON.
func eachJSON[T any](files fs.FS, name string, fn func(T) error) error {
	return eachLine(files, name, func(line string) error {
		var value T
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			return err
		}
		return fn(value)
	})
}

// eachLine calls fn for every non-empty line of the file. Errors name the file and the line.
func eachLine(files fs.FS, name string, fn func(line string) error) (err error) {
	r, err := open(files, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	// Not bufio.Scanner, which limits the length of lines; transcripts have lines of megabytes.
	buffered := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, readErr := buffered.ReadString('\n')
		if readErr != nil && readErr != io.EOF {
			return engram.Errorf(engram.CodeInvalid, "cannot read line %d of %s", n, name).WithCause(readErr)
		}
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			if err := fn(line); err != nil {
				return engram.Errorf(engram.CodeInvalid, "%s, line %d", name, n).WithCause(err).
					WithHint("repair or remove the line; docs/cli.md describes the files of a set")
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// open opens name, or name.gz decompressed.
func open(files fs.FS, name string) (io.ReadCloser, error) {
	f, err := files.Open(name)
	if err == nil {
		return f, nil
	}
	packed, gzErr := files.Open(name + ".gz")
	if errors.Is(gzErr, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot find %s or %[1]s.gz", name).
			WithHint("a set has the files %s, %s and one with questions, by default queries.jsonl", corpusFile, judgementFile)
	}
	if gzErr != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot open %s", name).WithCause(err)
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		_ = packed.Close() // it was only read
		return nil, engram.Errorf(engram.CodeInvalid, "cannot decompress %s.gz", name).WithCause(err)
	}
	return unpacked{z, packed}, nil
}

type unpacked struct {
	*gzip.Reader
	file io.Closer
}

// Close closes the decompressor and the file.
func (u unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }

// Sets returns the folders of files that are sets: "." if files is a set itself, else those in it.
// CodeInvalid without any, CodeNotFound if the folder does not exist.
func Sets(files fs.FS) ([]string, error) {
	if isSet(files, ".") {
		return []string{"."}, nil
	}
	entries, err := fs.ReadDir(files, ".")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, engram.Errorf(engram.CodeNotFound, "the folder does not exist")
	case err != nil:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot read the folder").WithCause(err)
	}
	var names []string
	for _, e := range entries {
		if isSet(files, e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, engram.Errorf(engram.CodeInvalid, "the folder neither is nor contains a set of questions").
			WithHint("a set has the files %s, %s and %s; {eval --own --write DIR} builds one from your own memories", corpusFile, Questions, judgementFile)
	}
	return names, nil
}

// isSet reports whether a folder has a corpus; anything else missing is an error of ReadSet.
func isSet(files fs.FS, dir string) bool {
	for _, end := range []string{"", ".gz"} {
		if info, err := fs.Stat(files, path.Join(dir, corpusFile+end)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Few is the number of questions below which figures mean nothing.
const Few = 20

// Head returns the set with n of its questions, spread evenly, or with all if n is 0 or too large.
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

// Write writes the set in the format of ReadSet. create is called for each of the three files, and its result
// is closed.
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
			return engram.Errorf(engram.CodeUnavailable, "cannot write %s", file.name).WithCause(err)
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
