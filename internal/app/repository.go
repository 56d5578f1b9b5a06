package app

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// Repository is where the memories of a project lie among its files.
type Repository struct {
	Root   string        // absolute; the folder itself where it is in no repository
	Folder string        // .engram in it
	Remote engram.Remote // the chunks in that
	By     string        // who this person is, for those who read what they wrote; "" when nobody knows

	chunks *gitchunks.Repository
	facts  project.Facts
	keys   []string // by what agreements about it are remembered, the widest first
}

// Anew returns the names of files beside the chunks that were made anew, for they did not fit
// them: they have to be committed, too.
func (r Repository) Anew() []string { return r.chunks.Anew() }

// Strange returns notes on what lies among the chunks and is none, by name.
func (r Repository) Strange(ctx context.Context) ([]engram.ImportNote, error) {
	return r.chunks.Notes(ctx)
}

// ManifestFaults returns notes on what the list of chunks says that is not so.
func (r Repository) ManifestFaults(ctx context.Context) ([]engram.ImportNote, error) {
	return r.chunks.ManifestFaults(ctx)
}

// Ignored returns the rule by which git leaves chunks that are written now out of the
// repository, as FILE:LINE:PATTERN, so that nobody gets them; "" when there is none.
func (r Repository) Ignored(ctx context.Context) string {
	if !r.InGit() {
		return ""
	}
	return git.Folders{}.Ignored(ctx, r.Root, r.chunks.Example())
}

// InGit reports whether it is a git repository, and no mere folder.
func (r Repository) InGit() bool { return r.facts.Root != "" }

// Repository finds the repository that dir lies in, and opens its chunks. There may be none
// yet. What does not say of which project it is, as chunks of other programs, is of project.
// Nothing in the repository decides about anything but what is in its chunks.
func (a *App) Repository(ctx context.Context, dir, project string) (Repository, error) {
	facts, err := git.Folders{}.Facts(ctx, dir)
	if err != nil {
		return Repository{}, err
	}
	return a.repositoryOf(ctx, facts, project, 0)
}

// repositoryOf is Repository in a folder of which these facts are known; most is how many bytes a
// chunk may have to be read, 0: what any may have.
func (a *App) repositoryOf(ctx context.Context, facts project.Facts, name string, most int64) (Repository, error) {
	root := cmp.Or(facts.Root, facts.Dir)
	keys := agreementKeys(facts)
	agreed, err := a.agreed(ctx, keys)
	if err != nil {
		return Repository{}, err
	}
	chunks, err := gitchunks.Open(gitchunks.Options{Dir: root, Project: name, Recipients: trustedIn(agreed), IdentityFile: a.identityFile(), Now: time.Now, Most: most})
	if err != nil {
		return Repository{}, err
	}
	return Repository{Root: root, Folder: chunks.Name(), Remote: chunks, By: author(), chunks: chunks, facts: facts, keys: keys}, nil
}

// ownChunks opens the chunks of the repository that the program works in, to look at their list: for
// that nobody is asked to whom they are encrypted.
func (a *App) ownChunks(ctx context.Context) (*gitchunks.Repository, error) {
	facts, err := git.Folders{}.Facts(ctx, a.opts.Dir)
	if err != nil {
		return nil, err
	}
	return gitchunks.Open(gitchunks.Options{Dir: cmp.Or(facts.Root, facts.Dir), IdentityFile: a.identityFile(), Now: time.Now})
}

// chunks are those of the repository that the program works in.
func (a *App) chunks(ctx context.Context, project string) (engram.Remote, error) {
	r, err := a.Repository(ctx, a.opts.Dir, project)
	return r.Remote, err
}

// author is what the system calls the person, else the machine.
func author() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	name, _ := os.Hostname() // "" where nobody knows
	return name
}
