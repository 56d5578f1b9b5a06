package eval_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval"
)

func TestSetsAreFoundByTheirCorpus(t *testing.T) {
	set := &fstest.MapFile{Data: []byte("{}")}
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		want  []string
	}{
		{"a set itself", fstest.MapFS{"corpus.jsonl": set, "inner/corpus.jsonl": set}, []string{"."}},
		{"a packed one", fstest.MapFS{"corpus.jsonl.gz": set}, []string{"."}},
		{"folders that are sets among others", fstest.MapFS{"b/corpus.jsonl": set, "a/corpus.jsonl.gz": set, "tools/x.go": set, "README.md": set}, []string{"a", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := eval.Sets(tt.files); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
	if _, err := eval.Sets(fstest.MapFS{"deep/er/corpus.jsonl": set}); engram.CodeOf(err) != engram.CodeInvalid || engram.HintOf(err) == "" {
		t.Errorf("a folder without sets: got %v, want invalid, with a hint", err)
	}
	if _, err := eval.Sets(os.DirFS(t.TempDir() + "/none")); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("no folder: got %v, want not_found", err)
	}
}

func TestHeadIsSpreadOverAll(t *testing.T) {
	var s eval.Set
	for i := range 10 {
		s.Questions = append(s.Questions, eval.Question{ID: fmt.Sprint(i)})
	}
	for n, want := range map[int]string{0: "0123456789", 1: "0", 3: "036", 5: "02468", 10: "0123456789", 99: "0123456789"} {
		got := ""
		for _, q := range s.Head(n).Questions {
			got += q.ID
		}
		if got != want {
			t.Errorf("%d of ten: got %q, want %q", n, got, want)
		}
	}
}

// memory is a file that was written.
type memory struct {
	bytes.Buffer
	done func(*memory)
}

func (m *memory) Close() error { m.done(m); return nil }

// written is the set as files in the folder "mine".
func written(s eval.Set) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	err := s.Write(func(name string) (io.WriteCloser, error) {
		return &memory{done: func(m *memory) { files["mine/"+name] = &fstest.MapFile{Data: m.Bytes()} }}, nil
	})
	return files, err
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"", "p", "q<&>", "ü"})
		want := eval.Set{Name: "mine", Relevant: map[string]eval.Relevant{}}
		groups := map[string]bool{}
		for i := range rapid.IntRange(1, 8).Draw(t, "documents") {
			d := eval.Document{ID: fmt.Sprintf("d%d", i), Title: rapid.StringN(0, 9, -1).Draw(t, "title"), Text: rapid.String().Draw(t, "text"),
				Group: name.Draw(t, "group"), Session: name.Draw(t, "session"), Seq: rapid.IntRange(0, 9).Draw(t, "seq")}
			if rapid.Bool().Draw(t, "dated") {
				d.Time = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0).UTC()
			}
			if !groups[d.Group] {
				groups[d.Group] = true
				want.Groups = append(want.Groups, d.Group)
			}
			want.Documents = append(want.Documents, d)
		}
		for i := range rapid.IntRange(1, 5).Draw(t, "questions") {
			d := rapid.SampledFrom(want.Documents).Draw(t, "answer")
			q := eval.Question{ID: fmt.Sprintf("q%d", i), Text: rapid.String().Draw(t, "question"), Group: d.Group}
			want.Questions = append(want.Questions, q)
			want.Relevant[q.ID] = eval.Relevant{d.ID: true}
		}
		files, err := written(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.ReadSet(files, "mine", eval.Questions)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("read back\n got: %+v, %v\nwant: %+v", got, err, want)
		}
	})
}

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
func (full) Close() error              { return nil }

func TestAFullDiskIsToldWithTheFile(t *testing.T) {
	err := eval.Set{Documents: []eval.Document{{ID: "d"}}}.Write(func(string) (io.WriteCloser, error) { return full{}, nil })
	if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "corpus.jsonl") {
		t.Errorf("got %v, want unavailable, with the name of the file", err)
	}
}
