package library_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/library"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// folder writes a made model below a new folder, in one of that name.
func folder(t *testing.T, s encodertest.Shape, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for file, b := range encodertest.New(s, 1).Files {
		put(t, filepath.Join(dir, filepath.FromSlash(file)), b)
	}
	return dir
}

func put(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, l library.Library, dir string) library.Lock {
	t.Helper()
	lock, err := l.Add(t.Context(), library.AddInput{Folder: dir, Now: time.Date(2026, 11, 27, 1, 2, 3, 4, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func TestAddedModelsAreListedCheckedAndRemoved(t *testing.T) {
	l := library.Library{Dir: filepath.Join(t.TempDir(), "models")}
	if locks, problems, err := listed(l); err != nil || len(locks)+len(problems) > 0 {
		t.Fatalf("without a folder: %v, %v, %v", locks, problems, err)
	}
	shape := encodertest.Tiny()
	dir := folder(t, shape, "All-tiny")
	var done, total int64
	lock, err := l.Add(t.Context(), library.AddInput{Folder: dir, Now: time.Unix(1e9, 5), Progress: func(d, n int64) { done, total = d, n }})
	if err != nil {
		t.Fatal(err)
	}
	if lock.Name != "All-tiny" || lock.Dimensions != shape.Hidden || lock.Pooling != "mean" || lock.Tokens != shape.Positions || lock.Precision != library.Full {
		t.Errorf("lock: %+v", lock)
	}
	if done != lock.Size() || total != done || done == 0 {
		t.Errorf("progress ended at %d of %d; the files have %d", done, total, lock.Size())
	}
	locks, problems, err := listed(l)
	if err != nil || len(problems) > 0 || len(locks) != 1 || locks[0].Size() != lock.Size() {
		t.Fatalf("list: %+v, %v, %v", locks, problems, err)
	}
	for _, name := range []string{"All-tiny", "all-TINY", "someone/all-tiny"} {
		if got, err := l.Verify(t.Context(), name); err != nil || got.Name != "All-tiny" {
			t.Errorf("verify %s: %+v, %v", name, got, err)
		}
	}
	if _, err := l.Add(t.Context(), library.AddInput{Folder: dir, Name: "all-tiny"}); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("added twice: %v", err)
	}
	if name, err := l.Remove("x/all-tiny"); err != nil || name != "All-tiny" {
		t.Errorf("remove: %s, %v", name, err)
	}
	if _, err := l.Info("all-tiny"); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("after its removal: %v", err)
	}
	if entries, _ := os.ReadDir(l.Dir); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestFoldersThatCannotBeAddedLeaveNothing(t *testing.T) {
	l := library.Library{Dir: filepath.Join(t.TempDir(), "models")}
	for _, tt := range []struct {
		name   string
		folder func() string
		as     string
		want   string
	}{
		{"not there", func() string { return filepath.Join(t.TempDir(), "x") }, "", "can be read"},
		{"damaged weights", func() string {
			dir := folder(t, encodertest.Tiny(), "m")
			put(t, filepath.Join(dir, "model.safetensors"), []byte("short"))
			return dir
		}, "", "weights file"},
		{"a folder for a file", func() string {
			dir := folder(t, encodertest.Tiny(), "m")
			os.Remove(filepath.Join(dir, "tokenizer.json"))
			put(t, filepath.Join(dir, "tokenizer.json", "x"), nil)
			return dir
		}, "", "regular file"},
		{"a name that leads elsewhere", func() string { return folder(t, encodertest.Tiny(), "m") }, "..", "cannot be the name"},
		{"a name with a slash", func() string { return folder(t, encodertest.Tiny(), "m") }, "a/b", "cannot be the name"},
		{"a hidden name", func() string { return folder(t, encodertest.Tiny(), "m") }, ".m", "cannot be the name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := l.Add(t.Context(), library.AddInput{Folder: tt.folder(), Name: tt.as})
			if err == nil || !strings.Contains(err.Error(), tt.want) || engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("got %v (%s), want an invalid one that says %q", err, engram.CodeOf(err), tt.want)
			}
			if entries, _ := os.ReadDir(l.Dir); len(entries) > 0 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Add(ctx, library.AddInput{Folder: folder(t, encodertest.Tiny(), "m")}); err == nil {
		t.Error("an ended context does not stop a copy")
	}
}

func TestWhatAKilledCopyLeftIsRemovedLater(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	now := time.Now()
	for name, age := range map[string]time.Duration{".adding-1": 25 * time.Hour, ".adding-2": time.Hour, "other": 25 * time.Hour} {
		dir := filepath.Join(l.Dir, name)
		put(t, filepath.Join(dir, "config.json"), nil)
		if err := os.Chtimes(dir, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Add(t.Context(), library.AddInput{Folder: folder(t, encodertest.Tiny(), "m"), Now: now}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".adding-2", "m", "other"}; !slices.Equal(names, want) {
		t.Errorf("left are %v, want %v", names, want)
	}
}

func TestLinksInTheSourceAreFollowed(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	dir := folder(t, encodertest.Tiny(), "snapshot")
	blob := filepath.Join(t.TempDir(), "blob")
	if err := os.Rename(filepath.Join(dir, "model.safetensors"), blob); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(blob, filepath.Join(dir, "model.safetensors")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	add(t, l, dir)
	if _, err := l.Verify(t.Context(), "snapshot"); err != nil {
		t.Error(err)
	}
}

func TestChangedFilesAreFound(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	add(t, l, folder(t, encodertest.Tiny(), "m"))
	e, err := l.Embedder("m")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(l.Dir, "m", "tokenizer.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, []byte(strings.Replace(string(b), "memory", "mEmory", 1)))
	if _, err := l.Verify(t.Context(), "m"); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "tokenizer.json") {
		t.Errorf("a changed file: %v", err)
	}
	put(t, path, b[:len(b)-1])
	if _, err := e.Embed(t.Context(), []string{"the"}, engram.RoleMemory); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("a file of another size: %v", err)
	}
	put(t, path, b)
	if _, err := e.Embed(t.Context(), []string{"the"}, engram.RoleMemory); err != nil {
		t.Errorf("after the file was put back: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	for _, lock := range []string{"", "{", `{"name":"other"}`, `{"name":"m","dimensions":24,"max_tokens":40,"precision":"f32","files":[{"path":"../../x","sha256":"0123456789abcdef"},{"path":"model.safetensors","sha256":"0123456789abcdef"}]}`} {
		put(t, filepath.Join(l.Dir, "m", "lock.json"), []byte(lock))
		if _, err := l.Embedder("m"); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("lock %s: %v", lock, err)
		}
		if locks, problems, err := listed(l); err != nil || len(locks) != 0 || len(problems) != 1 {
			t.Errorf("lock %s: listed %v, %v, %v", lock, locks, problems, err)
		}
	}
}

func TestEmbedder(t *testing.T) {
	l := library.Library{Dir: t.TempDir(), Threads: 2}
	add(t, l, folder(t, encodertest.Tiny(), "bge-small-en-v1.5"))
	e, err := l.Embedder("BAAI/bge-small-en-v1.5")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	model := e.Model()
	if model.Dimensions != 24 || model.Related < 0.5 || model.Instant || !strings.HasPrefix(model.Fingerprint, "bge-small-en-v1.5@") {
		t.Errorf("model: %+v", model)
	}
	texts := []string{"the memory", " ", "the user", ""}
	got, err := e.Embed(t.Context(), texts, engram.RoleMemory)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 0, 1, 0} {
		var length float64
		for _, x := range got[i] {
			length += float64(x) * float64(x)
		}
		if len(got[i]) != 24 || math.Abs(length-want) > 1e-5 {
			t.Errorf("%q: %d numbers of length %f, want %f", texts[i], len(got[i]), length, want)
		}
	}
	query, err := e.Embed(t.Context(), texts[:1], engram.RoleQuery)
	if err != nil || slices.Equal(query[0], got[0]) {
		t.Errorf("a question is embedded like a memory, though the model has a prefix for it: %v", err)
	}
	if _, err := l.Reranker("bge-small-en-v1.5"); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("as a reranker: %v", err)
	}
	// Cosines of a model that is not known relate nothing and merge nothing.
	add(t, l, folder(t, encodertest.Tiny(), "other"))
	other, err := l.Embedder("other")
	if err != nil || other.Model().Related <= 1 || other.Model().Duplicate <= 1 || other.Model().Fingerprint == model.Fingerprint {
		t.Errorf("another model: %+v, %v", other.Model(), err)
	}
}

// What goes before texts is what the model's files say, or what is known by its name, unless a person says otherwise. What
// goes before memories is in the fingerprint.
func TestPrefixes(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	add(t, l, folder(t, encodertest.Tiny(), "plain"))
	add(t, l, folder(t, encodertest.Tiny(), "e5-tiny"))
	dir := folder(t, encodertest.Tiny(), "e5-other")
	put(t, filepath.Join(dir, "config_sentence_transformers.json"), []byte(`{"prompts":{"query":"the user ","document":"the memory "}}`))
	if lock := add(t, l, dir); lock.Prefixes[engram.RoleQuery] != "the user " || len(lock.Files) != 6 {
		t.Errorf("lock: %+v", lock)
	}
	vector := func(l library.Library, name, text string, role engram.Role) []float32 {
		e, err := l.Embedder(name)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		vs, err := e.Embed(t.Context(), []string{text}, role)
		if err != nil {
			t.Fatal(err)
		}
		return vs[0]
	}
	mine := l
	mine.Prefixes = prefix.Set{engram.RoleMemory: "search "}
	marks := map[string]bool{}
	for _, tt := range []struct {
		library       library.Library
		name          string
		query, memory string
	}{
		{l, "plain", "", ""}, {l, "e5-tiny", "query: ", "passage: "}, {l, "e5-other", "the user ", "the memory "},
		{mine, "plain", "", "search "}, {mine, "e5-other", "the user ", "search "},
	} {
		for role, before := range map[engram.Role]string{engram.RoleQuery: tt.query, engram.RoleMemory: tt.memory} {
			if !slices.Equal(vector(tt.library, tt.name, "token", role), vector(l, "plain", before+"token", engram.RoleQuery)) {
				t.Errorf("%s: a %s is not embedded after %q", tt.name, role, before)
			}
		}
		e, _ := tt.library.Embedder(tt.name)
		_, mark, _ := strings.Cut(e.Model().Fingerprint, "/mean/40")
		if (mark == "") != (tt.memory == "") || mark != (prefix.Set{engram.RoleMemory: tt.memory}).Mark() {
			t.Errorf("%s: the mark is %q", tt.name, mark)
		}
		marks[mark] = true
	}
	if len(marks) != 4 {
		t.Errorf("marks of four prefixes: %v", marks)
	}
}

// The packed weights of a narrow model stand beside the others from its installation on. Where they are missing, damaged or
// of other weights, or cannot be written, the model computes the same.
func TestPackedWeights(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	lock, err := l.Add(t.Context(), library.AddInput{Folder: folder(t, encodertest.Tiny(), "m"), Precision: library.Narrow, Now: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(l.Dir, "m", "engram-w8.pack")
	first, err := os.ReadFile(packed)
	if err != nil || len(first) < 1000 {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	vector := func() []float32 {
		t.Helper()
		e, err := l.Embedder("m")
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		vs, err := e.Embed(t.Context(), []string{"the memory"}, engram.RoleMemory)
		if err != nil {
			t.Fatal(err)
		}
		return vs[0]
	}
	want := vector()
	damaged := slices.Clone(first)
	damaged[len(damaged)/2] ^= 1
	for name, spoil := range map[string]func() error{
		"missing": func() error { return os.Remove(packed) },
		"damaged": func() error { return os.WriteFile(packed, damaged, 0o600) },
		"cut off": func() error { return os.WriteFile(packed, first[:100], 0o600) },
		"empty":   func() error { return os.WriteFile(packed, nil, 0o600) },
		"of another": func() error {
			return os.WriteFile(packed, bytes.Replace(first, []byte(lock.Files[2].SHA256), []byte(strings.Repeat("0", 64)), 1), 0o600)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got := vector(); !slices.Equal(got, want) {
			t.Errorf("%s: another vector", name)
		}
		if again, err := os.ReadFile(packed); err != nil || !bytes.Equal(again, first) {
			t.Errorf("%s: not made again: %d bytes, %v", name, len(again), err)
		}
	}
	if err := os.Remove(packed); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(packed, 0o700); err != nil { // nothing can be written there
		t.Fatal(err)
	}
	if got := vector(); !slices.Equal(got, want) {
		t.Error("where nothing can be written: another vector")
	}
	if err := os.Remove(packed); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Verify(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(packed); err != nil || !bytes.Equal(again, first) {
		t.Errorf("verified: %d bytes, %v", len(again), err)
	}
	add(t, l, folder(t, encodertest.Tiny(), "wide"))
	if _, err := os.Stat(filepath.Join(l.Dir, "wide", "engram-w8.pack")); !os.IsNotExist(err) {
		t.Errorf("a model with wide weights has packed ones: %v", err)
	}
}

// A memory that is longer than a window has a vector of the whole and of each window; a question has one, however long.
func TestPassagesOfLongTexts(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	add(t, l, folder(t, encodertest.Tiny(), "m"))
	e, err := l.Embedder("m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	texts := []string{"the memory", " ", strings.Repeat("the user decided to search, ", 15), strings.Repeat("the memory of the user, ", 2000)}
	dimensions := e.Model().Dimensions
	vs, err := e.Embed(t.Context(), texts, engram.RoleMemory)
	if err != nil {
		t.Fatal(err)
	}
	several := len(vs[2]) / dimensions
	if len(vs[0]) != dimensions || len(vs[1]) != dimensions || several < 3 || len(vs[2])%dimensions != 0 || len(vs[3]) > (1+vector.MostPassages)*dimensions || len(vs[3]) < 20*dimensions {
		t.Errorf("numbers: %d, %d, %d, %d of %d", len(vs[0]), len(vs[1]), len(vs[2]), len(vs[3]), dimensions)
	}
	for i, v := range vs {
		if err := vector.CheckPassages(v, dimensions); err != nil {
			t.Errorf("text %d: %v", i, err)
		}
		for part := range slices.Chunk(v, dimensions) {
			if length := math.Sqrt(dot(part, part)); i != 1 && math.Abs(length-1) > 1e-5 {
				t.Errorf("text %d: a vector of length %v", i, length)
			}
		}
	}
	asked, err := e.Embed(t.Context(), texts, engram.RoleQuery)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range asked {
		if !slices.Equal(v, vs[i][:dimensions]) {
			t.Errorf("question %d has %d numbers, or others than a memory's first", i, len(v))
		}
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestReranker(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	shape := encodertest.Tiny()
	shape.XLMR, shape.Classifier = true, true
	add(t, l, folder(t, shape, "judge"))
	r, err := l.Reranker("judge")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	scores, err := r.Rerank(t.Context(), "the user", []string{"the memory", "we search"})
	if err != nil || len(scores) != 2 || r.Name() != "judge" {
		t.Errorf("%s: %v, %v", r.Name(), scores, err)
	}
	if _, err := l.Embedder("judge"); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("as an embedding model: %v", err)
	}
}

var (
	_ engram.Embedder = (*library.Embedder)(nil)
	_ engram.Reranker = (*library.Reranker)(nil)
)
