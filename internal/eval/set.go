package eval

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The files of a set, and the first field of the line that heads its judgements.
const (
	corpusFile    = "corpus.jsonl"
	judgementFile = "qrels.tsv"
	judgementHead = "query-id"
)

// Questions is the file of questions that a set has in any case.
const Questions = "queries.jsonl"

// Document is one text to be remembered.
type Document struct {
	ID      string    `json:"id"`
	Title   string    `json:"title,omitempty"` // "" for none
	Text    string    `json:"text"`
	Time    time.Time `json:"time,omitzero"` // when it was written; zero when unknown
	Group   string    `json:"group"`         // what a project is to a memory
	Session string    `json:"session,omitempty"`
	Seq     int       `json:"seq,omitempty"` // its place in the group
}

// Question asks the documents of its own group.
type Question struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Group string `json:"group"`
}

// Set is documents, questions and which document answers which question.
type Set struct {
	Name      string
	Documents []Document // in the order of the file
	Questions []Question // only those that something answers
	Relevant  map[string]Relevant
	Groups    []string // in the order the documents name them, then the questions
}

// ReadSet reads the set in the folder dir of files. Its corpus.jsonl has one
// Document a line, the file called questions one Question a line, qrels.tsv a
// question's id, a document's id and a score above zero, parted by tabs. A file
// may instead end in .gz. Unknown fields are ignored. A file that is missing, a line
// that cannot be read, a document that is there twice and one that is judged but
// missing are CodeInvalid, with the file and the line.
func ReadSet(files fs.FS, dir, questions string) (Set, error) {
	s := Set{Name: path.Base(dir), Relevant: map[string]Relevant{}}
	known, groups := map[string]bool{}, map[string]bool{}
	group := func(name string) {
		if !groups[name] {
			groups[name] = true
			s.Groups = append(s.Groups, name)
		}
	}
	err := eachLine(files, path.Join(dir, corpusFile), func(line string) error {
		var d Document
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return err
		}
		switch {
		case d.ID == "":
			return errors.New("the document has no id")
		case known[d.ID]:
			return fmt.Errorf("document %q is there twice", d.ID)
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
	err = eachLine(files, path.Join(dir, questions), func(line string) error {
		var q Question
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return err
		}
		if asked[q.ID] {
			return fmt.Errorf("question %q is there twice", q.ID)
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
			return fmt.Errorf("there is no document %q", f[1])
		}
		if s.Relevant[f[0]] == nil {
			s.Relevant[f[0]] = Relevant{}
		}
		s.Relevant[f[0]][f[1]] = true
		return nil
	})
}

// eachLine calls fn for every line of the file that is not empty. Errors name the
// file and the line.
func eachLine(files fs.FS, name string, fn func(line string) error) (err error) {
	r, err := open(files, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	// bufio.Scanner would need to be told the longest line; a transcript has megabytes.
	buffered := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, readErr := buffered.ReadString('\n')
		if readErr != nil && readErr != io.EOF {
			return engram.Errorf(engram.CodeInvalid, "%s, line %d cannot be read", name, n).WithCause(readErr)
		}
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			if err := fn(line); err != nil {
				return engram.Errorf(engram.CodeInvalid, "%s, line %d", name, n).WithCause(err).
					WithHint("mend or remove the line; docs/cli.md describes the files of a set")
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// open opens name, or name.gz unpacked.
func open(files fs.FS, name string) (io.ReadCloser, error) {
	f, err := files.Open(name)
	if err == nil {
		return f, nil
	}
	packed, gzErr := files.Open(name + ".gz")
	if errors.Is(gzErr, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeInvalid, "%s does not exist, nor does %[1]s.gz", name).
			WithHint("a set has %s, %s and a file of questions, queries.jsonl unless another is named", corpusFile, judgementFile)
	}
	if gzErr != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "%s cannot be opened", name).WithCause(err)
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		_ = packed.Close() // it was only read
		return nil, engram.Errorf(engram.CodeInvalid, "%s.gz cannot be unpacked", name).WithCause(err)
	}
	return unpacked{z, packed}, nil
}

type unpacked struct {
	*gzip.Reader
	file io.Closer
}

// Close closes the file below.
func (u unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }
