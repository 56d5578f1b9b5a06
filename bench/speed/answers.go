package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// asks is how many questions of the label sets are asked, each as it is and mistyped.
const asks = 500

// A labelled is a document or a question of a label set.
type labelled struct {
	ID, Text, Title, Time, Group, Session string
	set                                   string
}

// project returns where a document is kept and a question is asked.
func (l labelled) project() string { return l.set + "-" + l.Group }

// An answer is what a build says to a question, or as the context of a project.
type answer struct {
	Set      string   `json:"set"`
	Question string   `json:"question"`        // its id, or "context of" a project
	Asked    string   `json:"asked,omitempty"` // as it was typed
	Found    []string `json:"found,omitempty"` // ids of documents in order, with "?" below the threshold
	Context  string   `json:"context,omitempty"`
}

func (a answer) equal(b answer) bool {
	return a.Set == b.Set && a.Question == b.Question && a.Asked == b.Asked && a.Context == b.Context && slices.Equal(a.Found, b.Found)
}

// compareAnswers writes the answers of a build to a file, and says how many differ from those of another binary; either
// may be "".
func compareAnswers(ctx context.Context, b build, work, labels, file, against string) error {
	documents, questions, err := readLabels(labels)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("no answers: there are no label sets in %s\n", labels)
		return nil
	}
	if err != nil {
		return err
	}
	got, err := answersOf(ctx, b, work, documents, questions)
	if err != nil {
		return err
	}
	if file != "" {
		if err := writeAnswers(file, got); err != nil {
			return err
		}
		fmt.Printf("%d answers are in %s\n", len(got), file)
	}
	if against == "" {
		return nil
	}
	other, err := buildsOf(against, "")
	if err != nil {
		return err
	}
	had, err := answersOf(ctx, other[0], work, documents, questions)
	if err != nil {
		return err
	}
	fmt.Print(differences(got, had))
	return nil
}

// differences says how many answers differ and shows the first.
func differences(got, had []answer) string {
	different, first := 0, -1
	for i := range got {
		if !got[i].equal(had[i]) {
			if different++; first < 0 {
				first = i
			}
		}
	}
	text := fmt.Sprintf("%d of %d answers differ\n", different, len(got))
	if first < 0 {
		return text
	}
	g, h := got[first], had[first]
	return text + fmt.Sprintf("the first is %s %s: %s\n now:    %s%s\n before: %s%s\n",
		g.Set, g.Question, g.Asked, strings.Join(g.Found, " "), g.Context, strings.Join(h.Found, " "), h.Context)
}

// answersOf asks a build, on a store that it makes for that, so that what it does at an import counts too.
func answersOf(ctx context.Context, b build, work string, documents, questions []labelled) (all []answer, err error) {
	dir, err := os.MkdirTemp(work, "answers-")
	if err != nil {
		return nil, err
	}
	export := filepath.Join(dir, "export.json")
	if err := exportLabelled(export, documents); err != nil {
		return nil, err
	}
	if _, _, err := output(b.command(ctx, dir, "import", export), ""); err != nil {
		return nil, err
	}
	s, err := b.serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	known := map[string]string{} // ids of documents by those they have in the store
	for i, d := range documents {
		known[syncID(i)] = d.ID
	}
	for i, q := range questions {
		for _, asked := range []string{q.Text, mistyped(i, q.Text)} {
			text, err := s.search(asked, q.project())
			if err != nil {
				return nil, err
			}
			var found []struct {
				SyncID string `json:"sync_id"`
				Weak   bool   `json:"weak"`
			}
			if err := json.Unmarshal(text, &found); err != nil {
				return nil, err
			}
			a := answer{Set: q.set, Question: q.ID, Asked: asked}
			for _, f := range found {
				id := known[f.SyncID]
				if f.Weak {
					id += "?"
				}
				a.Found = append(a.Found, id)
			}
			all = append(all, a)
		}
	}
	last := ""
	for _, d := range documents {
		if d.project() == last {
			continue
		}
		last = d.project()
		text, err := s.get("/context", url.Values{"project": {last}})
		if err != nil {
			return nil, err
		}
		all = append(all, answer{Set: d.set, Question: "context of " + last, Context: string(text)})
	}
	return all, nil
}

// exportLabelled writes documents as an export of the mem_* dialect.
func exportLabelled(name string, documents []labelled) error {
	return exportTo(name, func(w *exporter) {
		for i, d := range documents {
			at := written(i)
			if d.Time != "" {
				at = d.Time
			}
			title := d.Title
			if title == "" {
				title = d.ID
			}
			w.add(observation{
				ID: i + 1, SyncID: syncID(i), SessionID: d.project() + "-" + d.Session, Type: "discovery", Title: title, Content: d.Text,
				Project: d.project(), Scope: "project", CreatedAt: at, UpdatedAt: at,
			})
		}
	})
}

// readLabels reads all label sets in a folder: their documents, and questions from all of them, as evenly as can be. The
// error is fs.ErrNotExist if there is no set.
func readLabels(folder string) (documents, questions []labelled, err error) {
	corpora, err := filepath.Glob(filepath.Join(folder, "*", "corpus.jsonl*"))
	if err != nil {
		return nil, nil, err
	}
	var all []labelled
	for _, corpus := range corpora {
		set := filepath.Dir(corpus)
		if documents, err = appendLines(documents, corpus); err != nil {
			return nil, nil, err
		}
		name := filepath.Join(set, "queries.jsonl")
		if _, err := os.Stat(name); err != nil {
			name += ".gz"
		}
		if all, err = appendLines(all, name); err != nil {
			return nil, nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil, fs.ErrNotExist
	}
	for i := range asks {
		questions = append(questions, all[i*len(all)/asks])
	}
	return documents, questions, nil
}

// appendLines appends the lines of a file, which may be compressed.
func appendLines(all []labelled, name string) ([]labelled, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for d := json.NewDecoder(r); ; {
		l := labelled{set: filepath.Base(filepath.Dir(name))}
		if err := d.Decode(&l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, l)
	}
}

// writeAnswers writes an answer a line.
func writeAnswers(name string, answers []answer) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	for _, a := range answers {
		if err := e.Encode(a); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Flush(), f.Close())
}
