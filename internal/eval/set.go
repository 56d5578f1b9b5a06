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
)

// Document is one text to be remembered.
type Document struct {
	ID    string `json:"id"`
	Title string `json:"title"` // "" for none
	Text  string `json:"text"`
	Group string `json:"group"` // what a project is to a memory
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
	Groups    []string // in the order the documents name them
}

// ReadSet reads the set in the folder dir of files. Its corpus.jsonl has one
// Document a line, the file called questions one Question a line, qrels.tsv a
// question's id, a document's id and a score above zero, parted by tabs. A file
// may instead end in .gz. Unknown fields are ignored; a line that cannot be read, a
// document that is there twice or one that is judged but missing is an error.
func ReadSet(files fs.FS, dir, questions string) (Set, error) {
	s := Set{Name: path.Base(dir), Relevant: map[string]Relevant{}}
	known, groups := map[string]bool{}, map[string]bool{}
	err := eachLine(files, path.Join(dir, "corpus.jsonl"), func(line string) error {
		var d Document
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return err
		}
		if known[d.ID] {
			return fmt.Errorf("document %q is there twice", d.ID)
		}
		known[d.ID] = true
		if !groups[d.Group] {
			groups[d.Group] = true
			s.Groups = append(s.Groups, d.Group)
		}
		s.Documents = append(s.Documents, d)
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	if err := s.readRelevant(files, path.Join(dir, "qrels.tsv"), known); err != nil {
		return Set{}, err
	}
	err = eachLine(files, path.Join(dir, questions), func(line string) error {
		var q Question
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return err
		}
		if len(s.Relevant[q.ID]) > 0 {
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
		case f[0] == "query-id":
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
			return fmt.Errorf("read %s: %w", name, readErr)
		}
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			if err := fn(line); err != nil {
				return fmt.Errorf("%s, line %d: %w", name, n, err)
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
	if gzErr != nil {
		return nil, err
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("unpack %s.gz: %w", name, err), packed.Close())
	}
	return unpacked{z, packed}, nil
}

type unpacked struct {
	*gzip.Reader
	file io.Closer
}

// Close closes the file below.
func (u unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }
