package replicatest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// stated is a thing in a dump.
type stated struct {
	engram.Record
	line string
	by   int // peer
}

// dumps are the states of all peers, without what some may keep to themselves. A push leaves out
// things forgotten before they were shared, relations of those or between two projects, sessions
// without other content, and prompts of sessions with only personal memories. Other peers may have
// these from a file, in their old state. What was shared, all must have.
func (h *history) dumps(ctx context.Context) ([]string, error) {
	all, told := make([]string, replicas), make([]string, replicas)
	states := map[string][]stated{} // by kind and name
	for n, p := range h.peers {
		var b bytes.Buffer
		for _, project := range h.projects {
			if err := p.Canonical(ctx, &b, project); err != nil && engram.CodeOf(err) != engram.CodeNotFound {
				return nil, fmt.Errorf("dump of %s: %w", p.name, err)
			}
		}
		erased, err := h.erased(ctx, p)
		if err != nil {
			return nil, err
		}
		all[n] = b.String()
		told[n] = erased
		for line := range strings.Lines(all[n]) {
			s := stated{line: line, by: n}
			if err := json.Unmarshal([]byte(line), &s.Record); err != nil {
				return nil, fmt.Errorf("dump of %s: %w in %s", p.name, err, line)
			}
			if s.Erased != nil { // of which project it was depends on where it stood
				all[n] = strings.Replace(all[n], line, "", 1)
				continue
			}
			states[nameOf(s.Record)] = append(states[nameOf(s.Record)], s)
		}
	}
	if err := h.sum(all); err != nil {
		return nil, err
	}
	for n := range all {
		all[n] += told[n]
	}
	h.kept = map[string]bool{}
	for _, after := range []bool{false, true} { // a tie may stay for its memories, a session for what is in it
		for name, of := range states {
			if h.isPersonal(of[0].Record) || tiesProjects(of[0].Record, states) {
				h.kept[name] = true
				continue
			}
			if after != (of[0].Relation != nil || of[0].Session != nil) || everywhere(of) {
				continue
			}
			if err := h.asOthers(ctx, all, of); err != nil {
				return nil, err
			}
			if !h.mayKeep(of) {
				continue
			}
			shared, err := h.shared(ctx, of[0].Record)
			if err != nil {
				return nil, err
			}
			h.kept[name] = !shared || h.staysAtHome(of, states)
		}
	}
	for n := range all {
		for name, of := range states {
			if h.kept[name] {
				for _, s := range of {
					all[n] = strings.Replace(all[n], s.line, "", 1)
				}
			}
		}
	}
	return all, nil
}

// everywhere reports whether all peers have the same state of a thing.
func everywhere(of []stated) bool {
	return len(of) == replicas && !slices.ContainsFunc(of, func(s stated) bool { return s.line != of[0].line })
}

// asOthers gives peers whose undo of an import or a pull hides a thing the state of the others:
// later changes here, as in a move of its project, are not announced.
func (h *history) asOthers(ctx context.Context, all []string, of []stated) error {
	var hidden []stated
	others := ""
	for _, s := range of {
		is, err := h.isHidden(ctx, s)
		switch {
		case err != nil:
			return err
		case is:
			hidden = append(hidden, s)
		case others == "":
			others = s.line
		}
	}
	for _, s := range hidden {
		all[s.by] = strings.Replace(all[s.by], s.line, others, 1)
	}
	return nil
}

// isHidden reports whether an undo hides a thing from a peer that has it.
func (h *history) isHidden(ctx context.Context, s stated) (hidden bool, err error) {
	err = h.peers[s.by].store.View(ctx, func(r engram.Reader) error {
		key, err := keyIn(ctx, r, s.Record)
		if err != nil {
			return err
		}
		keys, err := r.Replica().Shadowed(ctx, s.Entity(), engram.PartDeleted)
		hidden = slices.Contains(keys, key)
		return err
	})
	return hidden, err
}

// erased names the things that any peer knows to be erased, in any history.
func (h *history) erased(ctx context.Context, p *peer) (told string, err error) {
	err = p.store.View(ctx, func(r engram.Reader) error {
		for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession} {
			some, err := r.Replica().ErasedAfter(ctx, kind, "", 10_000)
			if err != nil {
				return err
			}
			last := ""
			for _, x := range some { // of one name there may be several projects that have heard of it
				if name := string(x.Entity) + " " + x.Name() + "\n"; name != last {
					told, last = told+name, name
				}
			}
		}
		return nil
	})
	return told, err
}

// isPersonal reports whether a memory is personal, or a relation of one. Peers that had it before
// have its old state, or have forgotten it.
func (h *history) isPersonal(r engram.Record) bool {
	personal := func(id string) bool { return h.outcomes[engram.ID(id)] != nil && h.outcomes[engram.ID(id)].personal }
	switch {
	case r.Memory != nil:
		return personal(string(r.Memory.Memory.ID))
	case r.Relation != nil:
		return personal(r.Relation.Source.ID) || personal(r.Relation.Target.ID)
	}
	return false
}

// tiesProjects reports whether a relation connects memories of two projects: a push of one of them
// does not include it.
func tiesProjects(r engram.Record, states map[string][]stated) bool {
	if r.Relation == nil {
		return false
	}
	source, target := states["memory "+r.Relation.Source.ID], states["memory "+r.Relation.Target.ID]
	return len(source) > 0 && len(target) > 0 && source[0].Memory.Memory.Project != target[0].Memory.Memory.Project
}

// mayKeep reports whether peers with a thing need not share it.
func (h *history) mayKeep(of []stated) bool {
	return !slices.ContainsFunc(of, func(s stated) bool {
		switch {
		case s.Session != nil:
			return false
		case s.Memory != nil:
			return !s.Memory.Memory.Forgotten()
		case s.Prompt != nil:
			return !s.Prompt.Deleted() && !h.owned[s.Prompt.SessionID]
		case s.Relation != nil:
			r := s.Relation
			return !r.Relation.Removed() && !h.kept["memory "+r.Source.ID] && !h.kept["memory "+r.Target.ID]
		}
		return true
	})
}

// staysAtHome reports whether a change of a shared session need not be shared: it has a personal
// memory, or it is empty and has nothing to share, because what it was shared for was forgotten
// since.
func (h *history) staysAtHome(of []stated, states map[string][]stated) bool {
	if of[0].Session != nil && h.owned[of[0].Session.ID] {
		return true
	}
	if of[0].Session == nil || slices.ContainsFunc(of, func(s stated) bool { return s.Session.Summary != "" || !s.Session.EndedAt.IsZero() }) {
		return false
	}
	for name, some := range states {
		in := func(s stated) bool {
			return s.Memory != nil && s.Memory.Memory.SessionID == of[0].Session.ID || s.Prompt != nil && s.Prompt.SessionID == of[0].Session.ID
		}
		if !h.kept[name] && slices.ContainsFunc(some, in) {
			return false
		}
	}
	return true
}

// shared reports whether any peer read a thing from a batch, or wrote it to one.
func (h *history) shared(ctx context.Context, s engram.Record) (shared bool, err error) {
	for _, p := range h.peers {
		err := p.store.View(ctx, func(r engram.Reader) error {
			key, err := keyIn(ctx, r, s)
			if key == "" || err != nil {
				return err
			}
			one, err := r.Replica().Shared(ctx, s.Entity(), key)
			shared = shared || one
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return shared, nil
}

// keyIn returns a store's key of a thing; "" if it is missing.
func keyIn(ctx context.Context, r engram.Reader, s engram.Record) (string, error) {
	num, err := int64(0), error(nil)
	switch {
	case s.Session != nil:
		return s.Session.ID, nil
	case s.Memory != nil:
		var m engram.Memory
		m, err = r.Memory(ctx, engram.ByID(s.Memory.Memory.ID))
		num = m.Num
	case s.Prompt != nil:
		var p engram.Prompt
		p, _, err = engram.PromptBySyncID(ctx, r, s.Prompt.SyncID)
		num = p.Num
	case s.Relation != nil:
		var rel engram.Relation
		rel, err = r.Relation(ctx, engram.RelationRef{ID: s.Relation.Relation.ID})
		num = rel.Num
	}
	if engram.CodeOf(err) == engram.CodeNotFound {
		err = nil
	}
	if num == 0 || err != nil {
		return "", err
	}
	return strconv.FormatInt(num, 10), nil
}

// nameOf returns the global name of a thing, by kind.
func nameOf(r engram.Record) string {
	kind := string(r.Entity()) + " "
	switch {
	case r.Erased != nil:
		return "erased " + r.Erased.Key()
	case r.Session != nil:
		return kind + r.Session.ID
	case r.Memory != nil:
		return kind + string(r.Memory.Memory.ID)
	case r.Prompt != nil:
		return kind + r.Prompt.SyncID
	}
	return kind + r.Relation.Relation.ID
}

// sum sets the digest of dumps, whatever the order of the keys in their objects.
func (h *history) sum(dumps []string) error {
	d := sha256.New()
	for _, dump := range dumps {
		for line := range strings.Lines(dump) {
			var object any
			if err := json.Unmarshal([]byte(line), &object); err != nil {
				return err
			}
			sorted, err := json.Marshal(object)
			if err != nil {
				return err
			}
			fmt.Fprintf(d, "%s %s\n", h.project, sorted)
		}
	}
	h.digest = [sha256.Size]byte(d.Sum(nil))
	return nil
}
