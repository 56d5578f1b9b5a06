// Package library is the models installed on this machine: folders in one place, each with the model's files and a
// lock.json that says what they must be. It adds them from elsewhere on the disk, checks, lists and removes them
// (library.go), downloads them by way of package hub (pull.go, part.go), knows published ones by name (catalogue.go),
// and makes engram.Embedder and engram.Reranker of installed ones (model.go).
//
// A model is installed when its folder has its final name: files are copied or downloaded, checked and tried under
// another. Only Pull downloads.
package library

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/embedding/own"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/embedding/transformer"
	"github.com/alanbuscaglia/engram/internal/encoder"
)

// lockFile is written last into a folder; weightsFile tells models of one name apart.
const (
	lockFile    = "lock.json"
	weightsFile = "model.safetensors"
)

// adding opens the name of a folder whose model is not installed yet.
const adding = ".adding-"

// leftFor is the age from which such a folder is taken for one that a killed process left.
const leftFor = 24 * time.Hour

// The files of a model; those that a model may lack are marked.
func modelFiles() map[string]bool {
	return map[string]bool{"config.json": true, "tokenizer.json": true, weightsFile: true,
		"tokenizer_config.json": false, "special_tokens_map.json": false, "modules.json": false,
		"sentence_bert_config.json": false, "config_sentence_transformers.json": false, "1_Pooling/config.json": false}
}

// A Library is a folder of models. The zero value has no models.
type Library struct {
	Dir     string // absolute
	Threads int    // that a model computes with
	// Prefixes replace, for the roles that they have, what models want before texts.
	Prefixes prefix.Set
}

// A Precision is how weights are kept in memory.
type Precision string

// The precisions.
const (
	Full   Precision = "f32" // as numbers of 32 bits
	Narrow Precision = "w8"  // as whole numbers of 8 bits, with a scale
)

// A Lock describes an installed model.
type Lock struct {
	Name       string     `json:"name"`
	Source     string     `json:"source"`               // the folder or the page that it came from
	Repository string     `json:"repository,omitempty"` // at the hub; it, Commit, License and Verified are of models that were pulled
	Commit     string     `json:"commit,omitempty"`
	License    string     `json:"license,omitempty"` // as the repository names it
	Verified   Verified   `json:"verified,omitempty"`
	Added      time.Time  `json:"added"`
	Kind       string     `json:"kind"` // bert or xlm-roberta
	Reranker   bool       `json:"reranker,omitempty"`
	Dimensions int        `json:"dimensions"`
	Layers     int        `json:"layers"`
	Pooling    string     `json:"pooling,omitempty"` // cls or mean
	Tokens     int        `json:"max_tokens"`
	Prefixes   prefix.Set `json:"prefixes,omitempty"` // before texts, where the model's files say which
	Precision  Precision  `json:"precision"`
	Files      []File     `json:"files"`
}

// Verified says whose hashes the files of a model had when it was pulled.
type Verified string

// Who may have known the hashes.
const (
	ByCatalogue Verified = "catalogue" // the program, those of weights, tokenizer and configuration
	ByHub       Verified = "hub"       // the hub that sent them
)

// A File is a file of a model.
type File struct {
	Path   string `json:"path"` // with slashes
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// Size is the bytes of all files.
func (l Lock) Size() (n int64) {
	for _, f := range l.Files {
		n += f.Size
	}
	return n
}

// entry is what is known of the model.
func (l Lock) entry() Entry { return entryOf(cmp.Or(l.Repository, l.Name)) }

// Before is what the model wants before texts: as its files say, or as its authors describe it.
func (l Lock) Before() prefix.Set {
	if l.Prefixes != nil {
		return l.Prefixes
	}
	return prefix.Of(cmp.Or(l.Repository, l.Name))
}

// source is the hash of the weights; "" if the lock has none.
func (l Lock) source() string {
	for _, f := range l.Files {
		if f.Path == weightsFile && len(f.SHA256) >= 12 {
			return f.SHA256
		}
	}
	return ""
}

// weights is its beginning, by which vectors of equal names are told apart.
func (l Lock) weights() string { return l.source()[:min(12, len(l.source()))] }

// pack keeps a model's weights in its folder as they are packed, for the processes that open it next.
func (l Lock) pack(dir string, m *transformer.Model) error {
	return atomicfile.Fill(filepath.Join(dir, transformer.PackFile), atomicfile.Options{}, func(w io.Writer) error { return m.WritePack(w, l.source()) })
}

// check returns what in a lock cannot be, for one that was edited or cut off.
func (l Lock) check(name string) error {
	switch {
	case l.Name != name || l.Dimensions < 1 || l.Tokens < 1 || l.weights() == "" || l.Precision != Full && l.Precision != Narrow || l.Prefixes.Check() != nil:
		return engram.Errorf(engram.CodeInvalid, "the model %s has a %s that is damaged", name, lockFile).
			WithHint("remove the model and add it again")
	}
	for _, f := range l.Files {
		if _, ok := modelFiles()[f.Path]; !ok {
			return engram.Errorf(engram.CodeInvalid, "the model %s has the file %.80q, which is not one of a model", name, f.Path)
		}
	}
	return nil
}

// checkName refuses what cannot be a folder's name everywhere.
func checkName(name string) error {
	ok := name != "" && len(name) <= 100 && name[0] != '.' && name[0] != '-'
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}
	if !ok {
		return engram.Errorf(engram.CodeInvalid, "%.100q cannot be the name of a model; use letters, digits, dots and hyphens", name)
	}
	return nil
}

// find returns the name of the installed model that is equal to name but for case.
func (l Library) find(name string) (string, error) {
	name = Canonical(name)
	if err := checkName(name); err != nil {
		return "", err
	}
	names, err := l.names()
	if err != nil {
		return "", err
	}
	for _, n := range append(names, own.Name) {
		if strings.EqualFold(n, name) {
			return n, nil
		}
	}
	return "", missing(name)
}

// names returns the names of the installed models, sorted.
func (l Library) names() (names []string, err error) {
	entries, err := os.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the folder of models: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Info returns an installed model's description; CodeNotFound where it is not installed.
func (l Library) Info(name string) (Lock, error) {
	name, err := l.find(name)
	if err != nil {
		return Lock{}, err
	}
	if name == own.Name {
		return within(), nil
	}
	b, err := os.ReadFile(filepath.Join(l.Dir, name, lockFile))
	if err != nil {
		return Lock{}, engram.Errorf(engram.CodeInvalid, "the model %s has no %s", name, lockFile).WithHint("remove the model and add it again").WithCause(err)
	}
	var lock Lock
	if err := json.Unmarshal(b, &lock); err != nil {
		lock = Lock{}
	}
	return lock, lock.check(name)
}

// List returns the installed models by name, and what is wrong with others.
func (l Library) List() (locks []Lock, problems []error, err error) {
	names, err := l.names()
	for _, name := range append([]string{own.Name}, names...) {
		if lock, err := l.Info(name); err == nil {
			locks = append(locks, lock)
		} else {
			problems = append(problems, err)
		}
	}
	return locks, problems, err
}

// AddInput says what to add. Name and Precision have defaults.
type AddInput struct {
	Folder    string    // with the model's files; links in it are followed
	Name      string    // "" is the folder's
	Precision Precision // "" is Full for small models, Narrow for large ones
	Now       time.Time
	// Progress, unless nil, is called with the bytes copied of all.
	Progress func(done, total int64)
}

// Add copies a model from a folder, tries it and installs it. CodeConflict where one of that name is installed,
// CodeInvalid where the folder has no model that can be used; then nothing stays behind.
func (l Library) Add(ctx context.Context, in AddInput) (lock Lock, err error) {
	if in.Name == "" {
		in.Name = Canonical(filepath.ToSlash(filepath.Clean(in.Folder)))
	}
	if err := l.prepare(in.Name, in.Now); err != nil {
		return lock, err
	}
	temporary, err := os.MkdirTemp(l.Dir, adding)
	if err != nil {
		return lock, fmt.Errorf("create a folder for the model: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(temporary) // the first error says more
		}
	}()
	lock = Lock{Name: in.Name, Source: in.Folder, Added: in.Now.UTC().Truncate(time.Second), Precision: in.Precision}
	if lock.Files, err = copyModel(ctx, in.Folder, temporary, in.Progress); err != nil {
		return lock, err
	}
	if err := l.try(ctx, temporary, &lock); err != nil {
		return lock, err
	}
	return lock, l.install(temporary, lock)
}

// prepare makes the folder of models ready for one of that name.
func (l Library) prepare(name string, now time.Time) error {
	if err := checkName(name); err != nil {
		return err
	}
	if installed, err := l.find(name); err == nil {
		return engram.Errorf(engram.CodeConflict, "a model %s is installed already", installed).WithHint("remove it first, or give another name")
	}
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return fmt.Errorf("create the folder of models: %w", err)
	}
	l.sweep(now)
	return nil
}

// install gives a folder its lock and its final name.
func (l Library) install(dir string, lock Lock) error {
	b, err := json.MarshalIndent(lock, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, lockFile), append(b, '\n'), atomicfile.Options{}); err != nil {
		return fmt.Errorf("write %s: %w", lockFile, err)
	}
	if err := os.Rename(dir, filepath.Join(l.Dir, lock.Name)); err != nil {
		return engram.Errorf(engram.CodeConflict, "a model %s was installed meanwhile", lock.Name).WithCause(err)
	}
	return nil
}

// sweep removes what calls of Add and Remove that were killed have left, once it is too old to be of one that runs, and
// downloads that were not continued.
func (l Library) sweep(now time.Time) {
	for prefix, age := range map[string]time.Duration{adding: leftFor, pulling: pulledFor} {
		left, _ := filepath.Glob(filepath.Join(l.Dir, prefix+"*")) // the pattern is sound
		for _, dir := range left {
			if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > age {
				_ = os.RemoveAll(dir) // the next call tries again
			}
		}
	}
}

// wide is the width from which weights are narrow: such a model takes seconds a text and gigabytes otherwise.
const wide = 768

// try opens a model, lets it compute, and completes its lock.
func (l Library) try(ctx context.Context, dir string, lock *Lock) error {
	if lock.Precision == "" {
		config, err := transformer.Check(dir)
		if err != nil {
			return err
		}
		if lock.Precision = Full; config.Hidden >= wide {
			lock.Precision = Narrow
		}
	}
	m, err := transformer.Open(dir, transformer.Options{Limit: lock.entry().tokens,
		Options: encoder.Options{Threads: l.Threads, Narrow: lock.Precision == Narrow}})
	if err != nil {
		return err
	}
	defer m.Close()
	if lock.Precision == Narrow {
		if err := lock.pack(dir, m); err != nil {
			return fmt.Errorf("write the packed weights of the model: %w", err)
		}
	}
	config := m.Config()
	lock.Kind, lock.Reranker, lock.Dimensions, lock.Layers = config.Kind, config.Classifier, config.Hidden, config.Layers
	lock.Pooling, lock.Tokens, lock.Prefixes = string(m.Pooling()), m.Limit(), m.Prefixes()
	if config.Classifier {
		lock.Pooling, lock.Prefixes = "", nil
		_, err := m.Rerank(ctx, "where is it?", []string{"here", "there"})
		return err
	}
	alone, err := m.Embed(ctx, "", []string{"We chose Postgres for the shop."})
	if err != nil {
		return err
	}
	both, err := m.Embed(ctx, "", []string{"The build is broken.", "We chose Postgres for the shop."})
	if err != nil {
		return err
	}
	if !slices.Equal(alone[0], both[1]) {
		return engram.Errorf(engram.CodeInternal, "the model gives a text another vector beside others")
	}
	return nil
}

// copyModel copies the files of a model and returns what they are.
func copyModel(ctx context.Context, from, to string, progress func(done, total int64)) (files []File, err error) {
	var total, done int64
	for name, needed := range modelFiles() {
		info, err := os.Stat(filepath.Join(from, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist) && !needed:
			continue
		case err != nil:
			return nil, engram.Errorf(engram.CodeInvalid, "the folder %s has no %s that can be read", from, name).
				WithHint("name a folder with the files of a BERT or XLM-RoBERTa model: config.json, tokenizer.json, model.safetensors").WithCause(err)
		case !info.Mode().IsRegular():
			return nil, engram.Errorf(engram.CodeInvalid, "%s in the folder %s is not a regular file", name, from)
		}
		files, total = append(files, File{Path: name, Size: info.Size()}), total+info.Size()
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := range files {
		f := &files[i]
		count := func(n int64) error {
			if progress != nil {
				progress(done+n, total)
			}
			return ctx.Err()
		}
		target := filepath.Join(to, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return nil, fmt.Errorf("create a folder for the model: %w", err)
		}
		if err := f.copy(filepath.Join(from, filepath.FromSlash(f.Path)), target, count); err != nil {
			return nil, err
		}
		done += f.Size
	}
	return files, nil
}

// counted calls count with the bytes read so far.
type counted struct {
	io.Reader
	n     int64
	count func(int64) error
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	if bad := c.count(c.n); bad != nil {
		err = bad
	}
	return n, err
}

func (f *File) copy(from, to string, count func(int64) error) error {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("read the model's %s: %w", f.Path, err)
	}
	defer source.Close()
	hash := sha256.New()
	err = atomicfile.Fill(to, atomicfile.Options{}, func(w io.Writer) error {
		n, err := io.Copy(io.MultiWriter(w, hash), &counted{Reader: io.LimitReader(source, f.Size+1), count: count})
		if err == nil && n != f.Size {
			err = engram.Errorf(engram.CodeConflict, "the model's %s changed while it was copied", f.Path)
		}
		return err
	})
	f.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return err
}

// Verify checks the content of an installed model's files, and that it computes.
func (l Library) Verify(ctx context.Context, name string) (Lock, error) {
	lock, err := l.Info(name)
	if err != nil {
		return lock, err
	}
	if lock.Within() {
		return lock, verifyWithin(ctx)
	}
	dir := filepath.Join(l.Dir, lock.Name)
	for _, f := range lock.Files {
		if err := f.verify(ctx, dir); err != nil {
			return lock, err
		}
	}
	found := lock
	return lock, l.try(ctx, dir, &found)
}

func (f File) verify(ctx context.Context, dir string) error {
	file, err := os.Open(filepath.Join(dir, filepath.FromSlash(f.Path)))
	if err != nil {
		return engram.Errorf(engram.CodeInvalid, "the model's %s cannot be read", f.Path).WithCause(err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, &counted{Reader: file, count: func(int64) error { return ctx.Err() }}); err != nil {
		return fmt.Errorf("read the model's %s: %w", f.Path, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != f.SHA256 {
		return engram.Errorf(engram.CodeInvalid, "the model's %s is not what was installed: its SHA-256 is %s, and should be %s", f.Path, got, f.SHA256).
			WithHint("remove the model and add it again")
	}
	return nil
}

// Remove removes an installed model; CodeNotFound where it is not installed.
func (l Library) Remove(name string) (string, error) {
	name, err := l.find(name)
	if err != nil {
		return name, err
	}
	if name == own.Name {
		return name, engram.Errorf(engram.CodeInvalid, "the model %s is part of the program, and cannot be removed", name).
			WithHint("to search without it: {config set embedding_model builtin}")
	}
	dir := filepath.Join(l.Dir, name)
	// Under another name first: what is left after a crash is no model.
	hidden := filepath.Join(l.Dir, adding+name)
	_ = os.RemoveAll(hidden) // left from such a crash
	if err := os.Rename(dir, hidden); err != nil {
		return name, fmt.Errorf("remove the model %s: %w", name, err)
	}
	if err := os.RemoveAll(hidden); err != nil {
		return name, fmt.Errorf("remove the model %s: %w", name, err)
	}
	return name, nil
}
