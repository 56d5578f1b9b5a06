package eval_test

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval"
)

const (
	corpus = `{"id":"d1","title":"Fast start","text":"The binary starts in ms.","group":"p","seq":1}
{"id":"d2","text":"Nothing else.","group":"q"}

{"id":"d3","text":"Third.","group":"p"}`
	questions = `{"id":"q1","text":"how fast does it start","group":"p","category":"near"}
{"id":"q2","text":"what answers this","group":"q"}
`
	qrels = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td3\t0\n"
)

func TestReadSet(t *testing.T) {
	want := eval.Set{
		Name: "small",
		Documents: []eval.Document{
			{ID: "d1", Title: "Fast start", Text: "The binary starts in ms.", Group: "p", Seq: 1},
			{ID: "d2", Text: "Nothing else.", Group: "q"},
			{ID: "d3", Text: "Third.", Group: "p"},
		},
		Questions: []eval.Question{{ID: "q1", Text: "how fast does it start", Group: "p"}},
		Relevant:  map[string]eval.Relevant{"q1": {"d1": true}},
		Groups:    []string{"p", "q"},
	}
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
	}{
		{"plain files", fstest.MapFS{
			"sets/small/corpus.jsonl":  {Data: []byte(corpus)},
			"sets/small/queries.jsonl": {Data: []byte(questions)},
			"sets/small/qrels.tsv":     {Data: []byte(qrels)},
		}},
		{"packed files", fstest.MapFS{
			"sets/small/corpus.jsonl.gz":  {Data: packed(t, corpus)},
			"sets/small/queries.jsonl.gz": {Data: packed(t, questions)},
			"sets/small/qrels.tsv":        {Data: []byte(qrels)},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := eval.ReadSet(tt.files, "sets/small", "queries.jsonl")
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("ReadSet\n got: %+v, %v\nwant: %+v", got, err, want)
			}
		})
	}
}

func TestReadSetNamesWhatIsWrong(t *testing.T) {
	for _, tt := range []struct{ name, corpus, questions, qrels, want string }{
		{"a line that is no JSON", "{", questions, qrels, "corpus.jsonl, line 1"},
		{"a document that occurs twice", corpus + "\n" + `{"id":"d1"}`, questions, qrels, `document "d1" occurs twice`},
		{"a judgement about nothing", corpus, questions, "q1\td9\t1\n", `document "d9" does not exist`},
		{"a judgement without a score", corpus, questions, "q1\td1\n", "qrels.tsv, line 1: 2 fields"},
		{"a question that is no JSON", corpus, "x", qrels, "queries.jsonl, line 1"},
		{"a question that occurs twice", corpus, questions + questions, qrels, `queries.jsonl, line 3: question "q1" occurs twice`},
		{"a document without an id", corpus + "\n" + `{"text":"x"}`, questions, qrels, "corpus.jsonl, line 5: the document has no id"},
		{"an invalid time", `{"id":"d1","time":"tomorrow"}`, questions, qrels, "corpus.jsonl, line 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := eval.ReadSet(fstest.MapFS{
				"s/corpus.jsonl":  {Data: []byte(tt.corpus)},
				"s/queries.jsonl": {Data: []byte(tt.questions)},
				"s/qrels.tsv":     {Data: []byte(tt.qrels)},
			}, "s", "queries.jsonl")
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ReadSet\n got: %v\nwant: an error of usage with %q", err, tt.want)
			}
		})
	}
	broken := fstest.MapFS{"s/corpus.jsonl.gz": {Data: []byte("no gzip")}}
	if _, err := eval.ReadSet(broken, "s", "queries.jsonl"); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "s/corpus.jsonl.gz") {
		t.Errorf("ReadSet of what cannot be unpacked\n got: %v\nwant: an error of usage that names the file", err)
	}
	cut := packed(t, strings.Repeat(corpus, 100))
	if _, err := eval.ReadSet(fstest.MapFS{"s/corpus.jsonl.gz": {Data: cut[:len(cut)-9]}}, "s", "queries.jsonl"); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("ReadSet of a packed file that is cut short\n got: %v\nwant: an error of usage", err)
	}
	if _, err := eval.ReadSet(fstest.MapFS{}, "s", "queries.jsonl"); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "s/corpus.jsonl") {
		t.Errorf("ReadSet of nothing\n got: %v\nwant: an error that names the corpus", err)
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func FuzzReadSet(f *testing.F) {
	f.Add(corpus, questions, qrels)
	f.Add("{}", "[]", "\t\t")
	f.Fuzz(func(t *testing.T, corpus, questions, qrels string) {
		set, err := eval.ReadSet(fstest.MapFS{
			"s/corpus.jsonl": {Data: []byte(corpus)}, "s/queries.jsonl": {Data: []byte(questions)}, "s/qrels.tsv": {Data: []byte(qrels)},
		}, "s", "queries.jsonl")
		if err != nil && engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("got %v, want an error of usage", err)
		}
		for _, q := range set.Questions {
			if len(set.Relevant[q.ID]) == 0 {
				t.Errorf("question %q is asked although nothing answers it", q.ID)
			}
		}
	})
}
