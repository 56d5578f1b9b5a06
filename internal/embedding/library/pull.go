package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/hub"
	"github.com/alanbuscaglia/engram/internal/embedding/transformer"
)

const (
	pulling   = ".pulling-"        // opens the name of a folder whose model is being downloaded
	pullLock  = ".pull.lock"       // held by the process that downloads
	pulledFor = 7 * 24 * time.Hour // a download that was not continued for so long is removed
)

// PullInput says what to download. Name, Hub and Now are required.
type PullInput struct {
	Name      string    // of the catalogue, or owner/name of another repository
	Revision  string    // commit, branch or reference; "" is the catalogue's, or main
	As        string    // name of the installed model; "" is the repository's, without its owner
	Precision Precision // "" is Full for small models, Narrow for large ones
	Now       time.Time
	Hub       *hub.Client
	TryLock   func(*os.File) (held bool, err error) // until the file is closed; nil for no lock
	Free      func(dir string) int64                // bytes that may be written; nil or negative if unknown
	Confirm   func(Plan) error                      // called before files are downloaded; its error ends Pull
	Progress  func(file string, done, total int64)  // bytes of the file; nil for none
}

// A Plan is what would be downloaded.
type Plan struct {
	Name       string
	Repository string
	Commit     string
	Host       string // of the hub
	License    string // "" if the repository names none
	Bytes      int64  // of all files
	Left       int64  // of them, that are not there from an earlier try
	Free       int64  // on the disk; negative if unknown
	Verified   Verified
}

// pull is one call of Pull.
type pull struct {
	PullInput
	library    Library
	repository string
	entry      Entry // the zero value for a revision that is not known
	snapshot   hub.Snapshot
	files      []hub.File // the weights last
	dir        string
}

// Pull downloads a model, checks its files, tries it and installs it. What was downloaded is kept where that fails, and
// the next call continues, unless it is not what it should be.
//
// CodeConflict where a model of that name is installed, CodeInvalid for a repository without a model that can be used and
// for files with other hashes, CodeUnavailable while another process pulls or the disk has no room, and the errors of
// hub.Client.
func (l Library) Pull(ctx context.Context, in PullInput) (lock Lock, err error) {
	p := pull{PullInput: in, library: l, repository: in.Name}
	if e, ok := Published(in.Name); ok {
		p.repository = e.Repository
		if p.Revision == "" || p.Revision == e.Revision {
			p.entry, p.Revision = e, e.Revision
		}
		p.As = cmp.Or(in.As, e.Name)
	}
	p.Revision, p.As = cmp.Or(p.Revision, "main"), cmp.Or(p.As, Canonical(in.Name))
	if err := hub.CheckRepository(p.repository); err != nil {
		return lock, engram.Errorf(engram.CodeNotFound, "%.100q is not a model that is known by name", in.Name).
			WithHint("{model list} has those that are; others are pulled as OWNER/NAME")
	}
	if err := l.prepare(p.As, in.Now); err != nil {
		return lock, err
	}
	release, err := p.lock()
	if err != nil {
		return lock, err
	}
	defer release()
	if p.snapshot, err = in.Hub.Snapshot(ctx, p.repository, p.Revision); err != nil {
		return lock, err
	}
	if err := p.choose(); err != nil {
		return lock, err
	}
	return p.run(ctx)
}

// lock lets one process pull at a time.
func (p *pull) lock() (release func(), err error) {
	file, err := os.OpenFile(filepath.Join(p.library.Dir, pullLock), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of models: %w", err)
	}
	held := true
	if p.TryLock != nil {
		held, err = p.TryLock(file)
	}
	if err == nil && !held {
		err = engram.Errorf(engram.CodeUnavailable, "another process is pulling a model").WithHint("wait until it has ended")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}

// choose finds the files of a model among those of the snapshot.
func (p *pull) choose() error {
	names := modelFiles()
	for _, f := range p.snapshot.Files {
		if _, ok := names[f.Path]; !ok {
			continue
		}
		delete(names, f.Path)
		if known := p.known(f.Path); known.Path != "" && (known.Size != f.Size || f.SHA256 != "" && f.SHA256 != known.SHA256) {
			return engram.Errorf(engram.CodeInvalid, "the hub %s announces another %s of %s than this version of Engram knows", p.Hub.Host(), f.Path, p.repository).
				WithHint("if HF_ENDPOINT names a mirror, try without it")
		}
		if most := transformer.Most(f.Path); f.Size > most {
			return engram.Errorf(engram.CodeInvalid, "the %s of %s has %d MB, and at most %d are read", f.Path, p.repository, f.Size/1e6, most/1e6)
		}
		p.files = append(p.files, f)
	}
	for name, needed := range names {
		if needed {
			return engram.Errorf(engram.CodeInvalid, "the model %s has no %s at revision %.60s", p.repository, name, p.Revision).
				WithHint("only BERT and XLM-RoBERTa models with config.json, tokenizer.json and model.safetensors are read; another revision may have them: --revision")
		}
	}
	slices.SortFunc(p.files, func(a, b hub.File) int {
		switch weightsFile {
		case a.Path:
			return 1
		case b.Path:
			return -1
		}
		return cmp.Compare(a.Path, b.Path)
	})
	return nil
}

// known returns what the program knows of a file; the zero value for nothing.
func (p *pull) known(path string) File {
	i := slices.IndexFunc(p.entry.Files, func(f File) bool { return f.Path == path })
	if i < 0 {
		return File{}
	}
	return p.entry.Files[i]
}

// plan says what is to be downloaded.
func (p *pull) plan() Plan {
	plan := Plan{Name: p.As, Repository: p.repository, Commit: p.snapshot.Commit, Host: p.Hub.Host(), Free: -1,
		License: cmp.Or(p.snapshot.License, p.entry.License), Verified: ByHub}
	if len(p.entry.Files) > 0 {
		plan.Verified = ByCatalogue
	}
	for _, f := range p.files {
		plan.Bytes += f.Size
		have := int64(0)
		for _, name := range []string{p.path(f), p.path(f) + ".part"} {
			if info, err := os.Stat(name); err == nil {
				have = max(have, info.Size())
			}
		}
		plan.Left += f.Size - min(have, f.Size)
	}
	if p.Free != nil {
		plan.Free = p.Free(p.dir)
	}
	return plan
}

func (p *pull) path(f hub.File) string { return filepath.Join(p.dir, filepath.FromSlash(f.Path)) }

// run downloads the files and installs the model.
func (p *pull) run(ctx context.Context) (lock Lock, err error) {
	p.dir = filepath.Join(p.library.Dir, pulling+p.As+"-"+p.snapshot.Commit[:12])
	if err := errors.Join(os.MkdirAll(p.dir, 0o700), os.Chtimes(p.dir, p.Now, p.Now)); err != nil {
		return lock, fmt.Errorf("create a folder for the model: %w", err)
	}
	defer os.Remove(p.dir) // if it is empty
	plan := p.plan()
	if need := plan.Left + plan.Left/10; plan.Free >= 0 && plan.Free < need {
		return lock, engram.Errorf(engram.CodeUnavailable, "the disk has no room for the model: it needs %d MB, and %d MB are free", need/1e6, plan.Free/1e6).
			WithHint("make room, or set ENGRAM_DATA_DIR to a folder on another disk")
	}
	if p.Confirm != nil {
		if err := p.Confirm(plan); err != nil {
			return lock, err
		}
	}
	lock = Lock{Name: p.As, Source: p.Hub.Page(p.repository), Added: p.Now.UTC().Truncate(time.Second), Precision: p.Precision,
		Repository: plan.Repository, Commit: plan.Commit, License: plan.License, Verified: plan.Verified}
	for _, f := range p.files {
		// The weights are large; what says whether they can be used is not.
		if f.Path == weightsFile {
			if _, err := transformer.Check(p.dir); err != nil {
				return lock, p.useless(err)
			}
		}
		file, err := p.bring(ctx, f)
		if err != nil {
			return lock, err
		}
		lock.Files = append(lock.Files, file)
	}
	if err := p.library.try(ctx, p.dir, &lock); err != nil {
		if ctx.Err() != nil {
			return lock, ctx.Err()
		}
		return lock, p.useless(err)
	}
	slices.SortFunc(lock.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return lock, p.library.install(p.dir, lock)
}

// useless removes all that was downloaded, for a reason that stays.
func (p *pull) useless(err error) error {
	_ = os.RemoveAll(p.dir) // the first error says more
	return err
}

// bring downloads a file, unless it is there.
func (p *pull) bring(ctx context.Context, f hub.File) (File, error) {
	target := p.path(f)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return File{}, fmt.Errorf("create a folder for the model: %w", err)
	}
	if info, err := os.Stat(target); err == nil && info.Size() == f.Size {
		_ = os.Rename(target, target+".part") // it is read and checked as a part is
	}
	to, err := openPart(ctx, target, f, func(n int64) {
		if p.Progress != nil {
			p.Progress(f.Path, n, f.Size)
		}
	})
	if err != nil {
		return File{}, err
	}
	if err := p.Hub.Download(ctx, p.repository, p.snapshot.Commit, f, to); err != nil {
		_ = to.Close() // the first error says more
		return File{}, err
	}
	return to.finish(p.known(f.Path))
}
