package library_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/hub"
	"github.com/alanbuscaglia/engram/internal/embedding/hubtest"
	"github.com/alanbuscaglia/engram/internal/embedding/library"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
)

// start runs a hub with a made model.
func start(t *testing.T, repository string) *hubtest.Hub {
	t.Helper()
	files := maps.Clone(encodertest.New(encodertest.Tiny(), 1).Files)
	files["README.md"], files["pytorch_model.bin"] = []byte("# a model"), []byte("pickled")
	h := hubtest.Start(repository, files)
	t.Cleanup(h.Close)
	return h
}

func client(t *testing.T, h *hubtest.Hub, token string) *hub.Client {
	t.Helper()
	c, err := hub.New(hub.Options{Endpoint: h.Address(), Token: token, Pause: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pulls(t *testing.T, h *hubtest.Hub, name string) library.PullInput {
	t.Helper()
	return library.PullInput{Name: name, Hub: client(t, h, ""), Now: time.Date(2026, 11, 27, 1, 2, 3, 4, time.UTC)}
}

func models(t *testing.T) library.Library {
	t.Helper()
	return library.Library{Dir: filepath.Join(t.TempDir(), "models")}
}

// left returns what is in the folder of models but the lock.
func left(t *testing.T, l library.Library) (names []string) {
	t.Helper()
	err := filepath.WalkDir(l.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != ".pull.lock" {
			name, _ := filepath.Rel(l.Dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func refuses(t *testing.T, err error, code engram.Code, says string) {
	t.Helper()
	if engram.CodeOf(err) != code || !strings.Contains(err.Error()+" "+engram.HintOf(err), says) {
		t.Errorf("got %v (%q, hint %s), want %q that says %q", err, engram.CodeOf(err), engram.HintOf(err), code, says)
	}
}

func TestAPulledModelIsInstalled(t *testing.T) {
	l, h := models(t), start(t, "some/tiny")
	in := pulls(t, h, "some/tiny")
	var plan library.Plan
	in.Confirm = func(p library.Plan) error { plan = p; return nil }
	got := map[string][2]int64{}
	in.Progress = func(file string, done, total int64) { got[file] = [2]int64{done, total} }
	in.Free = func(string) int64 { return 1 << 40 }
	lock, err := l.Pull(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if lock.Name != "tiny" || lock.Repository != "some/tiny" || lock.Commit != hubtest.Commit || lock.License != "mit" || lock.Verified != library.ByHub ||
		lock.Dimensions != 24 || lock.Pooling != "mean" || lock.Source != h.Address()+"/some/tiny" {
		t.Errorf("lock: %+v", lock)
	}
	if plan.Bytes != lock.Size() || plan.Left != plan.Bytes || plan.License != "mit" || plan.Free != 1<<40 || !strings.HasPrefix(plan.Host, "127.0.0.1:") {
		t.Errorf("plan: %+v for %d bytes", plan, lock.Size())
	}
	for _, f := range lock.Files {
		if got[f.Path] != [2]int64{f.Size, f.Size} {
			t.Errorf("progress of %s ended at %v", f.Path, got[f.Path])
		}
	}
	if _, err := l.Verify(t.Context(), "some/Tiny"); err != nil {
		t.Error(err)
	}
	want := []string{"tiny/1_Pooling/config.json", "tiny/config.json", "tiny/lock.json", "tiny/model.safetensors", "tiny/sentence_bert_config.json", "tiny/tokenizer.json"}
	if names := left(t, l); !slices.Equal(names, want) {
		t.Errorf("there are %v, want %v", names, want)
	}
	h.Requests()
	_, err = l.Pull(t.Context(), in)
	refuses(t, err, engram.CodeConflict, "installed already")
	if asked := h.Requests(); len(asked) > 0 {
		t.Errorf("for an installed model it asked for %q", asked)
	}
}

// A download that is cut leaves what it has, and the next one asks for the rest only.
func TestACutPullContinues(t *testing.T) {
	l, h := models(t), start(t, "some/tiny")
	in := pulls(t, h, "some/tiny")
	h.CutAfter = 1000
	_, err := l.Pull(t.Context(), in)
	refuses(t, err, engram.CodeUnavailable, "cannot reach the model hub")
	if _, err := l.Info("tiny"); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("a model of which a part is there: %v", err)
	}
	asked := h.Requests()
	if n := slices.Index(asked, "store /model.safetensors bytes=1000-"); n < 0 || slices.Contains(asked, "store got a token") {
		t.Errorf("asked for %q", asked)
	}
	h.CutAfter = 0
	if _, err := l.Pull(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	want := []string{"hub /api/models/some/tiny/revision/main", "hub /api/models/some/tiny/tree/" + hubtest.Commit,
		"hub /some/tiny/resolve/" + hubtest.Commit + "/model.safetensors", "store /model.safetensors bytes=5000-"}
	if asked := h.Requests(); !slices.Equal(asked, want) {
		t.Errorf("the second time it asked for %q, want %q", asked, want)
	}
	if _, err := l.Verify(t.Context(), "tiny"); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNotRightIsNotInstalled(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*hubtest.Hub)
		code   engram.Code
		says   string
		left   []string
	}{
		{"other weights than announced", func(h *hubtest.Hub) { h.Corrupt = true }, engram.CodeInvalid, "SHA-256", []string{"config.json", "tokenizer.json"}},
		{"weights that are none", func(h *hubtest.Hub) { h.Files["model.safetensors"] = []byte("short") }, engram.CodeInvalid, "weights file", nil},
		{"a model of another kind", func(h *hubtest.Hub) { h.Files["config.json"] = []byte(`{"model_type":"llama"}`) }, engram.CodeInvalid, "llama", nil},
		{"a configuration of a gigabyte", func(h *hubtest.Hub) { h.Sizes = map[string]int64{"config.json": 1 << 30} }, engram.CodeInvalid, "has 1073 MB", nil},
		{"without weights", func(h *hubtest.Hub) { delete(h.Files, "model.safetensors") }, engram.CodeInvalid, "has no model.safetensors", nil},
		{"not there", func(h *hubtest.Hub) { h.Repository = "some/other" }, engram.CodeNotFound, "the model hub has no model some/tiny", nil},
		{"a licence to accept", func(h *hubtest.Hub) { h.Token = "secret" }, engram.CodeForbidden, "HF_TOKEN", nil},
		{"404", func(h *hubtest.Hub) { h.Status = 404 }, engram.CodeNotFound, "the model hub has no model some/tiny", nil},
		{"429", func(h *hubtest.Hub) { h.Status = 429 }, engram.CodeUnavailable, "later", nil},
		{"500", func(h *hubtest.Hub) { h.Status = 500 }, engram.CodeUnavailable, "fails (500)", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, h := models(t), start(t, "some/tiny")
			tt.change(h)
			_, err := l.Pull(t.Context(), pulls(t, h, "some/tiny"))
			refuses(t, err, tt.code, tt.says)
			names := left(t, l)
			for _, name := range names {
				if !strings.HasPrefix(name, ".pulling-tiny-") || strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".etag") {
					t.Errorf("%s is left behind", name)
				}
			}
			if (len(names) > 0) != (len(tt.left) > 0) {
				t.Errorf("left are %v, want those like %v", names, tt.left)
			}
			if tt.code == engram.CodeInvalid && len(tt.left) == 0 && slices.Contains(h.Requests(), "store /model.safetensors") && tt.says != "weights file" {
				t.Error("the weights of a model that cannot be used were downloaded")
			}
		})
	}
}

func TestAModelWithALicenceComesWithAToken(t *testing.T) {
	l, h := models(t), start(t, "some/tiny")
	h.Token = "secret"
	in := pulls(t, h, "some/tiny")
	in.Hub = client(t, h, "secret")
	if _, err := l.Pull(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if asked := h.Requests(); slices.Contains(asked, "store got a token") {
		t.Errorf("the token went to another host: %q", asked)
	}
}

// Files of the catalogue must be those that it knows, whatever the hub announces.
func TestKnownModelsHaveKnownFiles(t *testing.T) {
	for _, name := range []string{"bge-small-en-v1.5", "BAAI/BGE-small-en-v1.5", "Xenova/bge-small-en-v1.5"} {
		l, h := models(t), start(t, "BAAI/bge-small-en-v1.5")
		_, err := l.Pull(t.Context(), pulls(t, h, name))
		refuses(t, err, engram.CodeUnavailable, "has commit "+hubtest.Commit)
		// Another revision is one of the person's.
		in := pulls(t, h, name)
		in.Revision = "main"
		if lock, err := l.Pull(t.Context(), in); err != nil || lock.Name != "bge-small-en-v1.5" || lock.Verified != library.ByHub {
			t.Errorf("%s: %+v, %v", name, lock, err)
		}
	}
	// bge-m3 has no known hashes; its windows are shorter than it could have them.
	l, h := models(t), start(t, "BAAI/bge-m3")
	if lock, err := l.Pull(t.Context(), pulls(t, h, "bge-m3")); err != nil || lock.Verified != library.ByHub || lock.Tokens != 40 {
		t.Errorf("%+v, %v", lock, err)
	}
}

func TestTheCatalogue(t *testing.T) {
	names := map[string]bool{}
	for _, e := range library.Catalogue() {
		var known int64
		for _, f := range e.Files {
			known += f.Size
			if len(f.SHA256) != 64 || f.Size <= 0 {
				t.Errorf("%s: %+v", e.Name, f)
			}
		}
		if names[e.Name] || e.License == "" || e.Bytes <= 0 || hub.CheckRepository(e.Repository) != nil || len(e.Files) > 0 && len(e.Revision) != 40 {
			t.Errorf("%+v", e)
		}
		if off := float64(e.Bytes-known) / float64(e.Bytes); len(e.Files) > 0 && (off < 0 || off > 0.01) {
			t.Errorf("%s has %d bytes, its files %d", e.Name, e.Bytes, known)
		}
		names[e.Name] = true
		for _, alias := range []string{e.Name, strings.ToUpper(e.Name), e.Repository, "Xenova/" + e.Name} {
			if got, ok := library.Published(alias); !ok || got.Name != e.Name {
				t.Errorf("%s is %q, want %s", alias, got.Name, e.Name)
			}
		}
		for _, other := range []string{"someone/" + e.Name, e.Name + "-x", ""} {
			if got, ok := library.Published(other); ok {
				t.Errorf("%q is %s", other, got.Name)
			}
		}
	}
	_, err := models(t).Pull(t.Context(), library.PullInput{Name: "bge-big"})
	refuses(t, err, engram.CodeNotFound, "OWNER/NAME")
	for name, says := range map[string]string{"BAAI/bge-m3": "engram model pull bge-m3 (2184 MiB)", "x/y": "OWNER/NAME"} {
		_, err := models(t).Info(name)
		refuses(t, err, engram.CodeNotFound, says)
	}
}

func TestRoomOnTheDiskIsAskedForFirst(t *testing.T) {
	l, h := models(t), start(t, "some/tiny")
	in := pulls(t, h, "some/tiny")
	in.Free = func(string) int64 { return 1000 }
	_, err := l.Pull(t.Context(), in)
	refuses(t, err, engram.CodeUnavailable, "no room")
	if asked := h.Requests(); len(asked) != 2 || len(left(t, l)) > 0 {
		t.Errorf("it asked for %q and left %v", asked, left(t, l))
	}
}

func TestOnePullAtATime(t *testing.T) {
	l, h := models(t), start(t, "some/tiny")
	in := pulls(t, h, "some/tiny")
	var locked *os.File
	in.TryLock = func(f *os.File) (bool, error) {
		if locked == nil {
			locked = f
			return true, nil
		}
		return false, nil
	}
	in.Confirm = func(library.Plan) error {
		second := in
		second.Confirm = nil
		_, err := l.Pull(t.Context(), second)
		refuses(t, err, engram.CodeUnavailable, "another process is pulling")
		return errors.New("no")
	}
	if _, err := l.Pull(t.Context(), in); err == nil || err.Error() != "no" {
		t.Errorf("what the person says: %v", err)
	}
	if err := locked.Close(); err == nil {
		t.Error("the lock is still held")
	}
	if names := left(t, l); len(names) > 0 {
		t.Errorf("left are %v", names)
	}
}

func TestAnInterruptedPullContinues(t *testing.T) {
	l, h := models(t), start(t, "some/tiny")
	ctx, cancel := context.WithCancel(t.Context())
	in := pulls(t, h, "some/tiny")
	in.Progress = func(file string, done, _ int64) {
		if file == "model.safetensors" && done > 0 {
			cancel()
		}
	}
	if _, err := l.Pull(ctx, in); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	var plan library.Plan
	in.Confirm = func(p library.Plan) error { plan = p; return nil }
	if _, err := l.Pull(t.Context(), in); err != nil || plan.Left >= plan.Bytes {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestOldPullsAreRemoved(t *testing.T) {
	l := library.Library{Dir: t.TempDir()}
	now := time.Now()
	for name, age := range map[string]time.Duration{".pulling-a-1": 8 * 24 * time.Hour, ".pulling-b-1": 6 * 24 * time.Hour} {
		put(t, filepath.Join(l.Dir, name, "config.json"), nil)
		if err := os.Chtimes(filepath.Join(l.Dir, name), now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Add(t.Context(), library.AddInput{Folder: folder(t, encodertest.Tiny(), "m"), Now: now}); err != nil {
		t.Fatal(err)
	}
	if names := fmt.Sprint(left(t, l)); strings.Contains(names, ".pulling-a-1") || !strings.Contains(names, ".pulling-b-1") {
		t.Errorf("left are %s", names)
	}
}
