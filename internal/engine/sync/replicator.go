// Package sync pushes and pulls batches of records between stores through a remote, and keeps records that are
// deferred until their other half or a person comes.
package sync

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Replicator exchanges batches with remotes. It is safe for concurrent use.
type Replicator struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exchange *exchange.Porter
}

// New returns a Replicator.
func New(l *ledger.Ledger, e *exchange.Porter) *Replicator {
	return &Replicator{screen: l.Screen, ledger: l, exchange: e}
}

// Unpushed counts what a push would send.
type Unpushed struct {
	Sessions, Memories, Prompts, Relations, Erased int
}

// RemoteStatus compares a project with a remote.
type RemoteStatus struct {
	Name     string // of the remote
	Project  string // canonical; "" for every one
	Batches  int    // at the remote
	Pulled   int    // of these, read here for the project, or written here
	Pending  int    // the others, and those with records of other projects that did not come in
	Unpushed Unpushed
	Deferred int                 // pending records
	Review   int                 // of these, those that wait for a person
	Trouble  []engram.ImportNote // unreadable batches, with why
	// Others is what batches that came in have of other projects, and that did not come in.
	Others []OtherProject
}

// RemoteStatus compares a project, "" is every one, with a remote. It reads pending batches to find unreadable ones,
// and changes nothing. A project that does not exist has nothing to push, and everything is pending, as in a new
// clone.
func (y *Replicator) RemoteStatus(ctx context.Context, r engram.Remote, project string) (RemoteStatus, error) {
	st := RemoteStatus{Name: r.Name()}
	p := &pushing{replicator: y, remote: r, in: PushInput{Project: project, All: project == "", DryRun: true}}
	err := p.begin(ctx)
	if engram.CodeOf(err) == engram.CodeNotFound && project != "" {
		p.res.Project, err = screen.NormalProject(project), nil
	}
	if err != nil {
		return RemoteStatus{}, err
	}
	st.Project, st.Batches = p.res.Project, len(p.batches)
	for _, kind := range []func(context.Context) error{p.sessions, p.memories, p.strays, p.prompts, p.relations} {
		if err := kind(ctx); err != nil {
			return RemoteStatus{}, err
		}
	}
	st.Unpushed = Unpushed{Sessions: p.res.Sessions, Memories: p.res.Memories, Prompts: p.res.Prompts, Relations: p.res.Relations}
	pulled, err := y.countRest(ctx, p, &st)
	if err != nil {
		return RemoteStatus{}, err
	}
	var read []string
	for _, b := range p.batches {
		if pulled[b] {
			st.Pulled++
			read = append(read, b)
			continue
		}
		st.Pending++
		for _, err := range r.Read(ctx, b) {
			if err != nil {
				st.Trouble = append(st.Trouble, engram.ImportNote{Item: b, Name: b, Reason: err.Error()})
				break
			}
		}
	}
	if st.Project != "" {
		rest, pending, err := y.restOfOthers(ctx, r, st.Project, read)
		if err != nil {
			return RemoteStatus{}, err
		}
		st.Others, st.Pending = rest.sorted(), st.Pending+pending
	}
	return st, ctx.Err()
}

// countRest counts what needs no reading of the things.
func (y *Replicator) countRest(ctx context.Context, p *pushing, st *RemoteStatus) (pulled map[string]bool, err error) {
	err = y.ledger.View(ctx, func(r engram.Reader) error {
		if st.Unpushed.Erased, err = r.Replica().CountUnreplicated(ctx, engram.EntityErased, st.Project, p.batches); err != nil {
			return err
		}
		if pulled, err = r.Replica().Pulled(ctx, st.Project, p.batches); err != nil {
			return err
		}
		if st.Deferred, err = countDeferred(ctx, r, st.Project); err != nil {
			return err
		}
		st.Review, err = r.Replica().CountDeferred(ctx, st.Project, engram.DeferredReview)
		return err
	})
	return pulled, err
}

// KnownBatches returns which of these batches came in here for a project, or were written here; "" is every project.
// The project may be an alias, or not exist here.
func (y *Replicator) KnownBatches(ctx context.Context, project string, batches []string) (known map[string]bool, err error) {
	return ledger.Read(ctx, y.ledger, func(r engram.Reader) (map[string]bool, error) {
		name, err := projects.CanonicalProject(ctx, r, project)
		if err != nil {
			return nil, err
		}
		return r.Replica().Pulled(ctx, name, batches)
	})
}

// Consent is what the person at this store agreed to for a repository. It is not journaled, and stays on this machine.
type Consent string

// The consents.
const (
	AgreedRecipients Consent = "recipients:"     // the recipients for whom its chunks may be encrypted
	NamedProjects    Consent = "named projects:" // the projects that were named for it
)

// Consent returns what PutConsent noted here for a repository; "" for nothing.
func (y *Replicator) Consent(ctx context.Context, c Consent, repository string) (to string, err error) {
	return ledger.Read(ctx, y.ledger, func(r engram.Reader) (string, error) { return r.Fact(ctx, string(c)+repository) })
}

// PutConsent notes a consent, in place of an earlier one.
func (y *Replicator) PutConsent(ctx context.Context, c Consent, repository, to string) error {
	return y.ledger.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, string(c)+repository, to) })
}
