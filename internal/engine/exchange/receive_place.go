package exchange

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// showAt shows the thing at place, which was written to be at w, where the rules allow it, and shadows the rest.
func (i *Importing) showAt(ctx context.Context, w ledger.Location, place ledger.Placing, l *engram.CausalMetadata) (err error) {
	var s ledger.Location
	if s.Project, err = i.ensureProject(ctx, w.Project); err != nil {
		return err
	}
	if w.Session != "" {
		home, known := i.sessionHomes[w.Session]
		if !known {
			if home, err = i.Tx.SessionHome(ctx, w.Session, s.Project, place.Made, i.Reason); err != nil {
				return err
			}
			i.sessionHomes[w.Session] = home
		}
		if home, err = i.follow(ctx, w.Session, home, s.Project); err != nil {
			return err
		}
		if ledger.SharesHome(s.Project, home, *l) {
			s.Session = w.Session
		}
	}
	*l = ledger.ShadowedLocation(*l, w, s)
	place.MoveTo(s)
	return nil
}

// placeNew shows a new thing, which came in as there, where it belongs: it sets the place of its state, and returns
// its causal metadata.
func (i *Importing) placeNew(ctx context.Context, there, state engram.Record) (engram.CausalMetadata, error) {
	place, l := ledger.PlaceOf(state), *state.Causal
	w, err := i.incomingLocation(ctx, place.Location())
	if err != nil {
		return l, err
	}
	if err := i.showAt(ctx, w, place, &l); err != nil {
		return l, err
	}
	// What a file brings into one project was not written to be there: importing it again must not take it away.
	if i.Border == "" || i.Batch != "" || there.Causal == nil {
		return l, nil
	}
	parts := []engram.Part{ledger.ProjectPart, ledger.SessionPart}
	if state.Session != nil {
		parts = parts[:1]
	}
	return lifecycle.Stamped(l, parts, i.Tx.Stamp()), nil
}

// follow moves a session that an undone import left in another project into the one that a file goes into. It returns
// the session's project.
func (i *Importing) follow(ctx context.Context, id, sessionHome, project string) (string, error) {
	if i.Batch != "" || !i.outside(sessionHome) || i.outside(project) {
		return sessionHome, nil
	}
	was, err := i.Tx.Store.Session(ctx, id)
	if err != nil {
		return sessionHome, err
	}
	if back, err := i.emptied(ctx, was); err != nil || !back {
		return sessionHome, err
	}
	now := was
	now.Project, i.sessionHomes[id] = project, project
	return project, i.Tx.PutSession(ctx, &was, now, i.Reason)
}

// incomingLocation returns where something comes in that a file has at w: there; or, for a file that goes into one
// project, in that project, and in a copy of a session that another project has.
func (i *Importing) incomingLocation(ctx context.Context, w ledger.Location) (ledger.Location, error) {
	if i.Border == "" || i.Batch != "" {
		return w, nil
	}
	if w.Project != "" {
		w.Project = i.Border
	}
	if w.Session == "" {
		return w, nil
	}
	_, _, name, err := i.knownSession(ctx, w.Session)
	w.Session = name
	return w, err
}

// ProjectHere returns the canonical name of a project, whether it exists here or not.
func (i *Importing) ProjectHere(ctx context.Context, name string) (string, error) {
	if here, known := i.projectNames[name]; known || name == "" {
		return here, nil
	}
	p, known, err := i.Tx.Store.Project(ctx, name)
	if known {
		name = p.Name
	}
	return name, err
}
