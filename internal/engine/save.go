package engine

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// SaveInput is what is to be remembered. Content is required.
type SaveInput struct {
	Title      string // "" takes the first words of the content
	Content    string
	Type       engram.Type // "" is manual
	Scope      engram.Scope
	Project    string // already decided (see Engine.ProjectFor); "" is no project
	TopicKey   string
	SessionID  string // "" takes the project's open session, else makes manual-save-PROJECT
	NewSession bool   // make the session if it does not exist, instead of an error
	Directory  string // folder of a session that is made
	ToolName   string
	Origin     engram.Origin // "" is agent
	Tags       []string
	Metadata   map[string]any
	Importance *float64 // nil is engram.DefaultImportance
	Permanent  bool
	Related    []engram.Ref // a relates_to relation to each
}

// Action is what a save did.
type Action = lifecycle.Action

// The actions.
const (
	ActionInserted = lifecycle.Insert
	ActionRevised  = lifecycle.Revise // the old text is a revision
	ActionRepeated = lifecycle.Repeat
)

// SaveResult is the memory as it is now and what the save did to it.
type SaveResult struct {
	Memory         engram.Memory
	Action         Action
	Reason         string   // why this action, for a person
	SuggestedTopic string   // a topic key that would fit; "" when one was given
	Warnings       []string // about the project name: normalised, similar to another
	State          engram.State
}

// Save remembers something: it revises the memory of its topic, counts an exact
// repeat, or adds a memory. Invalid input is CodeInvalid; a session that does not
// exist, or belongs to another project, carries a *project.Problem.
func (e *Engine) Save(ctx context.Context, in SaveInput) (SaveResult, error) {
	m, err := e.draft(in)
	if err != nil {
		return SaveResult{}, err
	}
	var res SaveResult
	err = e.write(ctx, "save", func(o *op) error {
		res, err = o.save(ctx, m, in)
		return err
	})
	if err != nil {
		return SaveResult{}, err
	}
	if m.Project != in.Project && m.Project != "" {
		res.Warnings = append([]string{fmt.Sprintf("Project name normalized: %q → %q", redact.Private(in.Project), m.Project)}, res.Warnings...)
	}
	if res.Memory.TopicKey == "" {
		res.SuggestedTopic = topic.Suggest(m.Type, m.Title, m.Content)
	}
	return res, nil
}

// save decides and writes; m is a draft.
func (o *op) save(ctx context.Context, m engram.Memory, in SaveInput) (SaveResult, error) {
	var res SaveResult
	place, err := o.place(ctx, m.Project, m.SessionID, in.Directory, in.NewSession)
	if err != nil {
		return res, err
	}
	m.Project, m.SessionID, res.Warnings = place.project, place.session, place.warnings
	d, err := o.admit(ctx, m)
	if err != nil {
		return res, err
	}
	res.Action, res.Reason = d.Action, d.Reason
	switch d.Action {
	case lifecycle.Revise:
		res.Memory = lifecycle.Revised(d.Target, m, o.at, o.policy)
		if in.Importance == nil {
			res.Memory.Importance = d.Target.Importance
		}
		err = o.addTo(ctx, d.Target, res.Memory, d.Reason)
	case lifecycle.Repeat:
		res.Memory = lifecycle.Repeated(d.Target, m, o.at)
		err = o.addTo(ctx, d.Target, res.Memory, d.Reason)
	default:
		err = o.insertMemory(ctx, &m, d.Reason)
		res.Memory = m
	}
	if err != nil {
		return res, err
	}
	res.State = lifecycle.State(res.Memory, o.at)
	return res, o.relate(ctx, res.Memory, in.Related)
}

// addTo replaces was by now, which has the tags and metadata of two saves: together
// they may be more than one memory may have.
func (o *op) addTo(ctx context.Context, was, now engram.Memory, reason string) error {
	if err := now.Validate(); err != nil {
		return err
	}
	if _, err := cleanMetadata(now.Metadata); err != nil {
		return err
	}
	return o.replaceMemory(ctx, was, now, reason)
}

// admit asks the rule, with what the store knows at this moment.
func (o *op) admit(ctx context.Context, m engram.Memory) (lifecycle.Decision, error) {
	var byTopic, byHash *engram.Memory
	if m.TopicKey != "" {
		old, found, err := o.tx.ByTopic(ctx, m.Project, m.Scope, m.TopicKey)
		if err != nil {
			return lifecycle.Decision{}, err
		}
		if found {
			byTopic = &old
		}
	}
	same := func(old engram.Memory) bool { return lifecycle.IsRepeat(m, old, o.at, o.policy) }
	old, found, err := o.tx.ByHash(ctx, m.Project, m.NormalizedHash, o.at.Add(-o.policy.RepeatWindow), same)
	if err != nil {
		return lifecycle.Decision{}, err
	}
	if found {
		byHash = &old
	}
	return lifecycle.Admit(m, byTopic, byHash), nil
}

// relate ties m to others that the caller named; one that is tied already is fine.
func (o *op) relate(ctx context.Context, m engram.Memory, to []engram.Ref) error {
	for _, ref := range to {
		if ref.Topic != "" && ref.Project == "" {
			ref.Project = m.Project
		}
		other, err := o.live(ctx, ref)
		if err != nil {
			return err
		}
		if other.Num == m.Num {
			return engram.Errorf(engram.CodeInvalid, "memory %s cannot be related to itself", ref)
		}
		r := engram.Relation{Source: m.Num, Target: other.Num, Verb: engram.VerbRelatesTo,
			Status: engram.RelationJudged, Strength: 1, Actor: o.actor, ActorKind: string(m.Origin), SessionID: m.SessionID}
		err = o.insertRelation(ctx, &r, m.Project, "asked for")
		if err != nil && engram.CodeOf(err) != engram.CodeConflict { // it is tied already
			return err
		}
	}
	return nil
}
